import assert from "node:assert/strict";
import { test } from "node:test";
import { culpritOf, groupReport } from "../problems/group-report.ts";
import { type Report, sent } from "./corpus/report.ts";
import { readError } from "./read-error.ts";

// Reports that the first version of the rules grouped wrongly. The corpus tolerates a few wrong pairs; these must all
// be right.

const hashOf = (report: Report) => {
  const grouping = groupReport(report);
  assert.ok(grouping, "a report of an error is grouped");
  return grouping.hash;
};
const together = (...reports: Report[]) =>
  assert.equal(new Set(reports.map(hashOf)).size, 1, reports.map((one) => groupReport(one)?.strings).join("\n"));
const apart = (...reports: Report[]) =>
  assert.equal(new Set(reports.map(hashOf)).size, reports.length, String(groupReport(reports[0] ?? {})?.strings));
const culprit = (report: Report) => culpritOf(readError(report, 100_000));

const python = (message: string, called = "charge") =>
  sent(
    "PaymentError",
    message,
    `
Traceback (most recent call last):
  File "/app/pay/views.py", line 12, in post
    ${called}(order)
  File "/app/pay/gateway.py", line 34, in ${called}
    raise PaymentError(reason)
pay.gateway.PaymentError: ${message}`,
  );

test("in Python an error is identified by its place, not by its message", () => {
  together(python("the card of Ada was refused"), python("no bank answers"), python("try again on Monday"));
  apart(python("no bank answers"), python("no bank answers", "refund"));
});

const ruby33 = (method: string) =>
  sent(
    "NoMethodError",
    "undefined method `price' for nil:NilClass",
    `\n/app/models/order.rb:20:in \`block in ${method}'\n/app/models/order.rb:19:in \`each'\n/app/models/order.rb:19:in \`${method}'`,
  );
const ruby34 = (method: string) =>
  sent(
    "NoMethodError",
    "undefined method 'price' for nil",
    `\n/app/models/order.rb:20:in 'block in Order#${method}'\n/app/models/order.rb:19:in 'Array#each'\n/app/models/order.rb:19:in 'Order#${method}'`,
  );

test("Ruby 3.4, which names classes and quotes differently, reports the same problem as 3.3", () => {
  together(ruby33("total"), ruby34("total"));
  apart(ruby34("total"), ruby34("discount"));
});

test("Ruby's two wordings of a message without a stack are one problem", () => {
  const said = (message: string): Report => ({ platform: "ruby", error: { type: "NoMethodError", message } });
  together(said("undefined method `price' for nil:NilClass"), said("undefined method 'price' for nil"));
  together(
    said("undefined method `price' for #<Shop::Order:0x00007f1c2a>"),
    said("undefined method `price' for an instance of Shop::Order"),
    said("undefined method 'price' for an instance of Shop::Order"),
  );
  apart(
    said("undefined method 'price' for nil"),
    said("undefined method 'total' for nil"),
    said("undefined method 'price' for an instance of Shop::Order"),
    said("undefined method `price' for #<Shop::Basket:0x00007f1c2a>"),
  );
});

const site = "https://shop.example.test/assets";
const chromium = `
Error: gone
    at parseOrder (${site}/orders-B7f3a9c1.js:1:900)
    at loadOrder (${site}/orders-B7f3a9c1.js:1:1200)
    at async openOrder (${site}/orders-B7f3a9c1.js:2:77)`;
const safari = `
parseOrder@${site}/orders-B7f3a9c1.js:1:905
loadOrder@${site}/orders-B7f3a9c1.js:1:1205`;

test("a stack that Safari ends or resumes at an await is the same problem as in other browsers", () => {
  together(
    sent("Error", "gone", chromium),
    sent("Error", "gone", safari),
    sent("Error", "gone", `${safari}\nasync openOrder@${site}/orders-B7f3a9c1.js:2:80`),
    sent("Error", "gone", `${safari}\nasync*openOrder@${site}/orders-B7f3a9c1.js:2:80\n`),
    sent("Error", "gone", `${safari}\nasyncFunctionResume@[native code]\nopenOrder@${site}/orders-B7f3a9c1.js:2:80`),
  );
});

const react = (code: number, args: string, stack: string) =>
  sent(
    "Error",
    `Minified React error #${code}; visit https://react.dev/errors/${code}?${args} for the full message`,
    stack,
  );
const inReact = `\nfs@${site}/index-B7f3a9c1.js:8:44567\nds@${site}/index-B7f3a9c1.js:8:44321\n`;

test("minified React errors are distinguished by their number, not by their arguments", () => {
  apart(react(418, "args[]=HTML", inReact), react(31, "args[]=object", inReact), react(41, "args[]=HTML", inReact));
  together(react(418, "args[]=HTML", inReact), react(418, "args[]=text", inReact.replaceAll("fs@", "hs@")));
});

test("a Node app has the same problems wherever it is installed", () => {
  const of = (folder: string, line: number) =>
    sent(
      "TypeError",
      "no user",
      `
TypeError: no user
    at loadUser (${folder}/users.js:${line}:20)
    at handle (${folder}/index.js:40:3)
    at Layer.handle (${folder}/node_modules/express/lib/router/layer.js:95:5)`,
    );
  together(
    of("/srv/app/current", 12),
    of("/home/deploy/app", 14),
    of("/srv/app/releases/20261120", 12),
    of("/usr/src/app", 12),
    of("C:/Users/ada/app", 12),
  );
});

const java = `
java.lang.NullPointerException: item
	at java.base/java.util.Objects.requireNonNull(Objects.java:259)
	at com.acme.shop.cart.Cart.add(Cart.java:18)
	at com.acme.shop.cart.CartController.add(CartController.java:52)`;

test("the caller of Objects.requireNonNull is the culprit, not the platform's check", () => {
  const report = sent("java.lang.NullPointerException", "item", java);
  assert.equal(culprit(report), "com.acme.shop.cart.Cart.add (Cart.java)");
  const other = java.replaceAll("Cart.add(Cart.java", "Basket.put(Basket.java");
  apart(report, sent("java.lang.NullPointerException", "item", other));
});

test("a JVM frame is shown with its class and method", () => {
  const { language, parts } = readError(sent("java.lang.NullPointerException", "item", java), 100_000);
  assert.equal(language, "jvm");
  assert.deepEqual(
    parts[0]?.frames.map((frame) => [frame.module, frame.function, frame.file, frame.line, frame.isOwn]),
    [
      ["java.util.Objects", "requireNonNull", "Objects.java", 259, false],
      ["com.acme.shop.cart.Cart", "add", "Cart.java", 18, true],
      ["com.acme.shop.cart.CartController", "add", "CartController.java", 52, true],
    ],
  );
});

const fromSdk = `
AggregateError: no way to pay
    at pay (${site}/pay-B7f3a9c1.js:1:900)
[errors]: TypeError: no bank
    at askBank (${site}/pay-B7f3a9c1.js:1:950)
[errors]: RangeError: no limit
    at askCard (${site}/pay-B7f3a9c1.js:1:980)`;
const fromNode = `
AggregateError: no way to pay
    at pay (/srv/shop/pay.js:1:900) {
  [errors]: [
    TypeError: no bank
        at askBank (/srv/shop/pay.js:1:950),
    RangeError: no limit
    of the card
        at askCard (/srv/shop/pay.js:1:980) {
      [cause]: Error: 402
          at post (/srv/shop/http.js:7:1)
    },
    'no third way',
    [Error: nor a fourth]
  ]
}`;

test("the errors of an AggregateError become its members, each with its own frames", () => {
  const parts = (stack: string) =>
    readError(sent("AggregateError", "no way to pay", stack), 100_000).parts.map(
      ({ type, message, frames, isMember = false }) => [isMember, type, message, frames.map((frame) => frame.function)],
    );
  const first = [
    [false, "AggregateError", "no way to pay", ["pay"]],
    [false, "TypeError", "no bank", ["askBank"]],
    [true, "RangeError", "no limit", ["askCard"]],
  ];
  assert.deepEqual(parts(fromSdk), first);
  assert.deepEqual(parts(fromNode), [
    ...first,
    [true, "Error", "402", ["post"]],
    [true, null, "'no third way'", []],
    [true, "Error", "nor a fourth", []],
  ]);
});
