import { type Corpus, sent } from "./report.ts";

const site = "https://shop.acme.test/assets";

/** Browsers. */
export const browsers: Corpus = {
  language: "browsers",
  bugs: {
    "no total": [
      sent(
        "TypeError",
        "Cannot read properties of undefined (reading 'total')",
        `
TypeError: Cannot read properties of undefined (reading 'total')
    at addTax (${site}/checkout-B7f3a9c1.js:12:1841)
    at Object.computeTotal (${site}/checkout-B7f3a9c1.js:12:2210)
    at Array.map (<anonymous>)
    at renderCart (${site}/cart-DiwrgTda.js:3:977)
    at HTMLButtonElement.<anonymous> (${site}/cart-DiwrgTda.js:3:1502)`,
      ),
      sent(
        "TypeError",
        'can\'t access property "total", e is undefined',
        `
addTax@${site}/checkout-B7f3a9c1.js:12:1841
computeTotal@${site}/checkout-B7f3a9c1.js:12:2210
renderCart@${site}/cart-DiwrgTda.js:3:977
setUp/<@${site}/cart-DiwrgTda.js:3:1502
EventListener.handleEvent*setUp@${site}/cart-DiwrgTda.js:9:1
`,
      ),
      sent(
        "TypeError",
        "undefined is not an object (evaluating 'e.total')",
        `
addTax@${site}/checkout-Cc81Fe20.js:12:1845
computeTotal@${site}/checkout-Cc81Fe20.js:12:2214
map@[native code]
renderCart@${site}/cart-D0wrgTda.js:3:980
@${site}/cart-D0wrgTda.js:3:1510`,
      ),
    ],
    "an order that loads": [
      sent(
        "Error",
        "order 17 is gone",
        `
Error: order 17 is gone
    at parseOrder (${site}/orders-B7f3a9c1.js:1:900)
    at loadOrder (${site}/orders-B7f3a9c1.js:1:1200)
    at async openOrder (${site}/orders-B7f3a9c1.js:2:77)
    at async ${site}/orders-B7f3a9c1.js:9:3`,
      ),
      sent(
        "Error",
        "order 99 is gone",
        `
parseOrder@${site}/orders-B7f3a9c1.js:1:900
loadOrder@${site}/orders-B7f3a9c1.js:1:1200
async*openOrder@${site}/orders-B7f3a9c1.js:2:77
setUp/<@${site}/orders-B7f3a9c1.js:9:3
`,
      ),
      sent(
        "Error",
        "order 4711 is gone",
        `
parseOrder@${site}/orders-B7f3a9c1.js:1:905
loadOrder@${site}/orders-B7f3a9c1.js:1:1205
async openOrder@${site}/orders-B7f3a9c1.js:2:80`,
      ),
    ],
    "React 418": [
      sent(
        "Error",
        "Minified React error #418; visit https://react.dev/errors/418?args[]=HTML&args[]= for the full message or use the non-minified dev environment for full errors and additional helpful warnings.",
        `
Error: Minified React error #418; visit https://react.dev/errors/418?args[]=HTML&args[]= for the full message
    at fs (${site}/index-B7f3a9c1.js:8:44567)
    at ds (${site}/index-B7f3a9c1.js:8:44321)
    at bu (${site}/index-B7f3a9c1.js:8:39876)`,
      ),
      sent(
        "Error",
        "Minified React error #418; visit https://react.dev/errors/418?args[]=text&args[]= for the full message or use the non-minified dev environment for full errors and additional helpful warnings.",
        `
hs@${site}/index-C0ffee12.js:8:44001
vl@${site}/index-C0ffee12.js:8:43001
Xa@${site}/index-C0ffee12.js:8:39001
`,
      ),
    ],
    "React 31": [
      sent(
        "Error",
        "Minified React error #31; visit https://react.dev/errors/31?args[]=object%20with%20keys%20%7Bid%7D for the full message or use the non-minified dev environment for full errors and additional helpful warnings.",
        `
Error: Minified React error #31; visit https://react.dev/errors/31?args[]=object for the full message
    at fs (${site}/index-B7f3a9c1.js:8:14567)
    at ds (${site}/index-B7f3a9c1.js:8:14321)`,
      ),
    ],
    "not a function, minified": [
      sent(
        "TypeError",
        "t.close is not a function",
        `
TypeError: t.close is not a function
    at a (${site}/index-B7f3a9c1.js:1:100)
    at ${site}/index-B7f3a9c1.js:1:990`,
      ),
      sent(
        "TypeError",
        "e.close is not a function. (In 'e.close()', 'e.close' is undefined)",
        `
q@${site}/index-D1e2f3a4.js:1:120
${site}/index-D1e2f3a4.js:1:990`,
      ),
      sent(
        "TypeError",
        "n.close is not a function",
        `\nXt@${site}/index-aabbccdd.js:1:120\n@${site}/index-aabbccdd.js:1:9\n`,
      ),
    ],
    "fetch fails": [
      sent(
        "TypeError",
        "Failed to fetch",
        `\nTypeError: Failed to fetch\n    at sendCart (${site}/cart-B7f3a9c1.js:1:5)\n    at async pay (${site}/cart-B7f3a9c1.js:1:9)`,
      ),
      sent("TypeError", "Load failed", `\nsendCart@${site}/cart-B7f3a9c1.js:1:5`),
      sent(
        "TypeError",
        "NetworkError when attempting to fetch resource.",
        `\nsendCart@${site}/cart-B7f3a9c1.js:1:5\nasync*pay@${site}/cart-B7f3a9c1.js:1:9\n`,
      ),
    ],
    "a cause": [
      sent(
        "Error",
        "cannot open the basket",
        `
Error: cannot open the basket
    at openBasket (${site}/basket-B7f3a9c1.js:4:2)
    at async start (${site}/main-B7f3a9c1.js:1:2)
Caused by: SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
    at JSON.parse (<anonymous>)
    at readBasket (${site}/basket-B7f3a9c1.js:2:10)
    at openBasket (${site}/basket-B7f3a9c1.js:4:1)`,
      ),
      sent(
        "Error",
        "cannot open the basket",
        `
openBasket@${site}/basket-Ff00aa11.js:4:2
Caused by: SyntaxError: JSON.parse: unexpected character at line 1 column 1 of the JSON data
readBasket@${site}/basket-Ff00aa11.js:2:10
openBasket@${site}/basket-Ff00aa11.js:4:1
`,
      ),
    ],
    "another cause of the same": [
      sent(
        "Error",
        "cannot open the basket",
        `
Error: cannot open the basket
    at openBasket (${site}/basket-B7f3a9c1.js:4:2)
Caused by: QuotaExceededError: Failed to execute 'setItem' on 'Storage': Setting the value of 'basket' exceeded the quota.
    at writeBasket (${site}/basket-B7f3a9c1.js:3:10)
    at openBasket (${site}/basket-B7f3a9c1.js:4:1)`,
      ),
    ],
  },
};

/** Node, Deno and Bun. */
export const node: Corpus = {
  language: "Node",
  bugs: {
    "no user": [
      sent(
        "TypeError",
        "Cannot read properties of null (reading 'id')",
        `
TypeError: Cannot read properties of null (reading 'id')
    at loadUser (/srv/app/current/users.js:12:20)
    at handle (/srv/app/current/index.js:40:3)
    at Layer.handle [as handle_request] (/srv/app/current/node_modules/express/lib/router/layer.js:95:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)`,
      ),
      sent(
        "TypeError",
        "Cannot read properties of null (reading 'id')",
        `
TypeError: Cannot read properties of null (reading 'id')
    at loadUser (/home/deploy/app/users.js:14:20)
    at handle (/home/deploy/app/index.js:41:3)
    at Layer.handle [as handle_request] (/home/deploy/app/node_modules/express/lib/router/layer.js:95:5)`,
      ),
      sent(
        "TypeError",
        "Cannot read property 'id' of null",
        `
TypeError: Cannot read property 'id' of null
    at loadUser (C:\\inetpub\\shop\\users.js:14:20)
    at handle (C:\\inetpub\\shop\\index.js:41:3)
    at processTicksAndRejections (internal/process/task_queues.js:93:5)`,
      ),
      sent(
        "TypeError",
        "Cannot read properties of null (reading 'id')",
        `
TypeError: Cannot read properties of null (reading 'id')
    at loadUser (file:///usr/src/app/users.js:12:20)
    at handle (file:///usr/src/app/index.js:40:3)`,
      ),
    ],
    "orders' handler": [
      sent(
        "TypeError",
        "x is not iterable",
        `\nTypeError: x is not iterable\n    at handler (/app/src/orders/index.ts:4:2)\n    at async dispatch (/app/src/http.ts:9:1)`,
      ),
      sent(
        "TypeError",
        "x is not iterable",
        `\nTypeError: x is not iterable\n    at handler (/srv/shop/releases/20261120120000/src/orders/index.ts:6:2)\n    at async dispatch (/srv/shop/releases/20261120120000/src/http.ts:9:1)`,
      ),
    ],
    "users' handler": [
      sent(
        "TypeError",
        "x is not iterable",
        `\nTypeError: x is not iterable\n    at handler (/app/src/users/index.ts:4:2)\n    at async dispatch (/app/src/http.ts:9:1)`,
      ),
    ],
    "a refused connection, with its cause": [
      sent(
        "Error",
        "could not load order 12",
        `
Error: could not load order 12
    at loadOrder (/app/src/orders.ts:20:11)
    at async handle (/app/src/server.ts:7:3) {
  [cause]: Error: connect ECONNREFUSED 10.0.0.7:5432
      at connect (/app/src/database.ts:30:9)
      at loadOrder (/app/src/orders.ts:18:5)
      at async handle (/app/src/server.ts:7:3) {
    errno: -111,
    code: 'ECONNREFUSED'
  }
}`,
      ),
      sent(
        "Error",
        "could not load order 13",
        `
Error: could not load order 13
    at loadOrder (/home/ada/work/shop/src/orders.ts:22:11)
Caused by: Error: connect ECONNREFUSED 127.0.0.1:5432
    at connect (/home/ada/work/shop/src/database.ts:31:9)
    at loadOrder (/home/ada/work/shop/src/orders.ts:19:5)`,
      ),
    ],
    "the same wrapper of another cause": [
      sent(
        "Error",
        "could not load order 12",
        `
Error: could not load order 12
    at loadOrder (/app/src/orders.ts:20:11) {
  [cause]: RangeError: Invalid time value
      at Date.toISOString (<anonymous>)
      at formatDate (/app/src/dates.ts:3:9)
      at loadOrder (/app/src/orders.ts:17:5)
}`,
      ),
    ],
    "too deep": [
      sent(
        "RangeError",
        "Maximum call stack size exceeded",
        `\nRangeError: Maximum call stack size exceeded\n    at walk (/app/tree.js:1:5)\n    at visit (/app/tree.js:7:5)\n    at walk (/app/tree.js:2:5)\n    at visit (/app/tree.js:7:5)`,
      ),
      sent(
        "RangeError",
        "Maximum call stack size exceeded",
        `\nRangeError: Maximum call stack size exceeded\n    at visit (/app/tree.js:7:1)\n    at walk (/app/tree.js:2:5)\n    at visit (/app/tree.js:7:5)\n    at walk (/app/tree.js:2:5)`,
      ),
    ],
    "no rows for a user": [
      sent(
        "Error",
        "no rows",
        `
Error: no rows
    at Database.first (file:///srv/api/dist/db.js:40:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async getUser (file:///srv/api/dist/users.js:12:16)
    at async Object.handler (file:///srv/api/dist/routes.js:5:9)`,
      ),
      sent(
        "Error",
        "no rows",
        `
Error: no rows
    at Database.first (/home/node/app/dist/db.js:42:11)
    at processTicksAndRejections (internal/process/task_queues.js:95:5)
    at async getUser (/home/node/app/dist/users.js:13:16)
    at async Object.handler (/home/node/app/dist/routes.js:5:9)`,
      ),
    ],
    "no rows for an order": [
      sent(
        "Error",
        "no rows",
        `
Error: no rows
    at Database.first (file:///srv/api/dist/db.js:40:11)
    at async getOrder (file:///srv/api/dist/orders.js:12:16)
    at async Object.handler (file:///srv/api/dist/routes.js:9:9)`,
      ),
    ],
  },
};

/** React Native, with Hermes and without. */
export const reactNative: Corpus = {
  language: "React Native",
  bugs: {
    "no price": [
      sent(
        "TypeError",
        "Cannot read property 'price' of undefined",
        `
TypeError: Cannot read property 'price' of undefined
    at priceOf (address at index.android.bundle:1:634571)
    at CartScreen (address at index.android.bundle:1:641002)
    at renderWithHooks (address at index.android.bundle:1:201234)
    at performUnitOfWork (address at index.android.bundle:1:221111)`,
      ),
      sent(
        "TypeError",
        "undefined is not an object (evaluating 'e.price')",
        `
priceOf@/var/containers/Bundle/Application/8C1D1F0A-2B3C-4D5E-8F90-A1B2C3D4E5F6/Shop.app/main.jsbundle:412:1833
CartScreen@/var/containers/Bundle/Application/8C1D1F0A-2B3C-4D5E-8F90-A1B2C3D4E5F6/Shop.app/main.jsbundle:413:77
renderWithHooks@main.jsbundle:99:1
[native code]
callFunctionReturnFlushedQueue@[native code]`,
      ),
      sent(
        "TypeError",
        "Cannot read property 'price' of undefined",
        `
TypeError: Cannot read property 'price' of undefined
    at priceOf (http://localhost:8081/index.bundle?platform=ios&dev=true&minify=false&app=com.acme.shop:140211:17)
    at CartScreen (http://localhost:8081/index.bundle?platform=ios&dev=true&minify=false&app=com.acme.shop:140300:40)
    at renderWithHooks (http://localhost:8081/index.bundle?platform=ios&dev=true&minify=false&app=com.acme.shop:15000:22)`,
      ),
    ],
    "no list": [
      sent(
        "TypeError",
        "undefined is not a function",
        `\nTypeError: undefined is not a function\n    at ItemList (address at index.android.bundle:1:700000)\n    at renderWithHooks (address at index.android.bundle:1:201234)`,
      ),
      sent(
        "TypeError",
        "undefined is not a function",
        `\nTypeError: undefined is not a function\n    at ItemList (address at /data/user/0/com.acme.shop/files/CodePush/ab12/index.android.bundle:1:710000)\n    at anonymous (address at InternalBytecode.js:1:1)`,
      ),
    ],
    "sync fails later": [
      sent(
        "Error",
        "sync 17 failed",
        `\nError: sync 17 failed\n    at ?anon_0_ (address at index.android.bundle:1:500)\n    at next (native)\n    at asyncGeneratorStep (address at index.android.bundle:1:900)\n    at _next (address at index.android.bundle:1:901)\n    at tryCallOne (address at InternalBytecode.js:1:1180)`,
      ),
      sent(
        "Error",
        "sync 18 failed",
        `\nError: sync 18 failed\n    at ?anon_0_ (address at index.android.bundle:1:533)\n    at next (native)\n    at asyncGeneratorStep (address at index.android.bundle:1:933)\n    at _next (address at index.android.bundle:1:934)`,
      ),
    ],
    "a login wraps the network": [
      sent(
        "LoginError",
        "no login",
        `\nLoginError: no login\n    at signIn (address at index.android.bundle:1:800)\nCaused by: TypeError: Network request failed\n    at requestToken (address at index.android.bundle:1:810)\n    at signIn (address at index.android.bundle:1:799)`,
      ),
    ],
    "a login wraps the keychain": [
      sent(
        "LoginError",
        "no login",
        `\nLoginError: no login\n    at signIn (address at index.android.bundle:1:800)\nCaused by: Error: Could not decrypt value\n    at readKeychain (address at index.android.bundle:1:820)\n    at signIn (address at index.android.bundle:1:798)`,
      ),
    ],
  },
};
