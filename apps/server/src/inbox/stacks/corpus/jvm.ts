import { type Corpus, sent } from "./report.ts";

const spring = `	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
	at org.springframework.web.method.support.InvocableHandlerMethod.doInvoke(InvocableHandlerMethod.java:255)
	at org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:1089)
	at org.apache.tomcat.util.threads.TaskThread$WrappingRunnable.run(TaskThread.java:63)
	at java.base/java.lang.Thread.run(Thread.java:1583)`;
const spring8 = `	at sun.reflect.GeneratedMethodAccessor217.invoke(Unknown Source)
	at sun.reflect.DelegatingMethodAccessorImpl.invoke(DelegatingMethodAccessorImpl.java:43)
	at java.lang.reflect.Method.invoke(Method.java:498)
	at org.springframework.web.method.support.InvocableHandlerMethod.doInvoke(InvocableHandlerMethod.java:190)
	at java.lang.Thread.run(Thread.java:748)`;

/** Java on servers. */
export const java: Corpus = {
  language: "Java",
  bugs: {
    "no price": [
      sent(
        "java.lang.NullPointerException",
        'Cannot invoke "com.acme.shop.Price.amount()" because the return value of "com.acme.shop.Item.price()" is null',
        `
java.lang.NullPointerException: Cannot invoke "com.acme.shop.Price.amount()" because the return value of "com.acme.shop.Item.price()" is null
	at com.acme.shop.cart.Cart.total(Cart.java:42)
	at com.acme.shop.cart.CartController.show(CartController.java:31)
	at com.acme.shop.cart.CartController$$FastClassBySpringCGLIB$$8a2d1c3b.invoke(<generated>)
	at com.acme.shop.cart.CartController$$SpringCGLIB$$0.show(<generated>)
${spring}`,
      ),
      sent(
        "java.lang.NullPointerException",
        "",
        `
java.lang.NullPointerException
	at com.acme.shop.cart.Cart.total(Cart.java:47)
	at com.acme.shop.cart.CartController.show(CartController.java:33)
	at com.acme.shop.cart.CartController$$FastClassBySpringCGLIB$$91bbe0aa.invoke(<generated>)
	at com.acme.shop.cart.CartController$$EnhancerBySpringCGLIB$$1f1f2a.show(<generated>)
${spring8}`,
      ),
      sent(
        "NullPointerException",
        "null",
        `
	at com.acme.shop.cart.Cart.total(Cart.java:51) ~[shop-1.4.jar!/:1.4]
	at com.acme.shop.cart.CartController.show(CartController.java:33) ~[shop-1.4.jar!/:1.4]
${spring.replaceAll(/\)$/gm, ") ~[na:na]")}`,
      ),
      sent(
        "jakarta.servlet.ServletException",
        "Request processing failed: java.lang.NullPointerException",
        `
jakarta.servlet.ServletException: Request processing failed: java.lang.NullPointerException
	at org.springframework.web.servlet.FrameworkServlet.processRequest(FrameworkServlet.java:1022)
	at jakarta.servlet.http.HttpServlet.service(HttpServlet.java:564)
	at java.base/java.lang.Thread.run(Thread.java:1583)
Caused by: java.lang.NullPointerException: null
	at com.acme.shop.cart.Cart.total(Cart.java:42)
	at com.acme.shop.cart.CartController.show(CartController.java:31)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
	at org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:1089)
	... 2 more`,
      ),
    ],
    "require an item": [
      sent(
        "java.lang.NullPointerException",
        "item",
        `
java.lang.NullPointerException: item
	at java.base/java.util.Objects.requireNonNull(Objects.java:259)
	at com.acme.shop.cart.Cart.add(Cart.java:18)
	at com.acme.shop.cart.CartController.add(CartController.java:52)
${spring}`,
      ),
      sent(
        "java.lang.NullPointerException",
        "item",
        `
java.lang.NullPointerException: item
	at java.util.Objects.requireNonNull(Objects.java:228)
	at com.acme.shop.cart.Cart.add(Cart.java:21)
	at com.acme.shop.cart.CartController.add(CartController.java:52)
${spring8}`,
      ),
    ],
    "the order's lambda": [
      sent(
        "java.lang.IllegalStateException",
        "order 4711 is closed",
        `
java.lang.IllegalStateException: order 4711 is closed
	at com.acme.shop.order.Orders.lambda$close$3(Orders.java:88)
	at java.base/java.util.stream.ForEachOps$ForEachOp$OfRef.accept(ForEachOps.java:184)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1596)
	at com.acme.shop.order.Orders.close(Orders.java:87)
	at com.acme.shop.order.Nightly.run(Nightly.java:12)
	at java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1144)`,
      ),
      sent(
        "java.lang.IllegalStateException",
        "order 17 is closed",
        `
java.lang.IllegalStateException: order 17 is closed
	at com.acme.shop.order.Orders.lambda$close$1(Orders.java:91)
	at com.acme.shop.order.Orders$$Lambda$412/0x0000000800d6c000.accept(Unknown Source)
	at java.util.ArrayList.forEach(ArrayList.java:1259)
	at com.acme.shop.order.Orders.close(Orders.java:90)
	at com.acme.shop.order.Nightly.run(Nightly.java:12)
	at java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)`,
      ),
    ],
    "the wrapper, because of the database": [
      sent(
        "com.acme.shop.order.OrderException",
        "could not save order 17",
        `
com.acme.shop.order.OrderException: could not save order 17
	at com.acme.shop.order.OrderService.save(OrderService.java:40)
	at com.acme.shop.order.OrderController.create(OrderController.java:22)
${spring}
Caused by: java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.
	at com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)
	at com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:112)
	at com.acme.shop.order.OrderRepository.insert(OrderRepository.java:61)
	at com.acme.shop.order.OrderService.save(OrderService.java:37)
	... 7 more`,
      ),
      sent(
        "com.acme.shop.order.OrderException",
        "could not save order 18",
        `
com.acme.shop.order.OrderException: could not save order 18
	at com.acme.shop.order.OrderService.save(OrderService.java:44)
	at com.acme.shop.order.OrderController.create(OrderController.java:22)
${spring}
Caused by: java.sql.SQLTransientConnectionException: HikariPool-2 - Connection is not available, request timed out after 30001ms.
	at com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:688)
	at com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:112)
	at com.acme.shop.order.OrderRepository.insert(OrderRepository.java:63)
	at com.acme.shop.order.OrderService.save(OrderService.java:41)
	... 7 common frames omitted`,
      ),
    ],
    "the wrapper, because of stock": [
      sent(
        "com.acme.shop.order.OrderException",
        "could not save order 19",
        `
com.acme.shop.order.OrderException: could not save order 19
	at com.acme.shop.order.OrderService.save(OrderService.java:40)
	at com.acme.shop.order.OrderController.create(OrderController.java:22)
${spring}
Caused by: com.acme.shop.stock.OutOfStock: sku-99
	at com.acme.shop.stock.Stock.take(Stock.java:12)
	at com.acme.shop.order.OrderService.save(OrderService.java:36)
	... 7 more`,
      ),
    ],
    "a future that fails": [
      sent(
        "java.util.concurrent.CompletionException",
        "java.lang.ArithmeticException: / by zero",
        `
java.util.concurrent.CompletionException: java.lang.ArithmeticException: / by zero
	at java.base/java.util.concurrent.CompletableFuture.encodeThrowable(CompletableFuture.java:315)
	at java.base/java.util.concurrent.CompletableFuture$AsyncSupply.run(CompletableFuture.java:1770)
	at java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1144)
	at java.base/java.lang.Thread.run(Thread.java:1583)
Caused by: java.lang.ArithmeticException: / by zero
	at com.acme.shop.price.Discount.share(Discount.java:14)
	at com.acme.shop.price.Discounts.lambda$load$0(Discounts.java:29)
	at java.base/java.util.concurrent.CompletableFuture$AsyncSupply.run(CompletableFuture.java:1768)
	... 2 more`,
      ),
      sent(
        "java.util.concurrent.ExecutionException",
        "java.lang.ArithmeticException: / by zero",
        `
java.util.concurrent.ExecutionException: java.lang.ArithmeticException: / by zero
	at java.util.concurrent.FutureTask.report(FutureTask.java:122)
	at java.util.concurrent.FutureTask.get(FutureTask.java:192)
	at com.acme.shop.Job.run(Job.java:9)
Caused by: java.lang.ArithmeticException: / by zero
	at com.acme.shop.price.Discount.share(Discount.java:14)
	at com.acme.shop.price.Discounts.lambda$load$2(Discounts.java:31)
	at java.util.concurrent.FutureTask.run(FutureTask.java:266)
	... 1 more`,
      ),
    ],
    "endless recursion": [
      sent(
        "java.lang.StackOverflowError",
        "",
        `java.lang.StackOverflowError\n${"	at com.acme.shop.Tree.walk(Tree.java:12)\n	at com.acme.shop.Tree.visit(Tree.java:20)\n".repeat(500)}`,
      ),
      sent(
        "java.lang.StackOverflowError",
        "",
        `java.lang.StackOverflowError: null\n	at com.acme.shop.Tree.visit(Tree.java:21)\n${"	at com.acme.shop.Tree.walk(Tree.java:12)\n	at com.acme.shop.Tree.visit(Tree.java:21)\n".repeat(400)}`,
      ),
    ],
  },
};

const view = `	at android.view.View.performClick(View.java:7448)
	at com.google.android.material.button.MaterialButton.performClick(MaterialButton.java:1194)
	at android.view.View.performClickInternal(View.java:7425)
	at android.os.Handler.handleCallback(Handler.java:938)
	at android.os.Looper.loop(Looper.java:223)
	at android.app.ActivityThread.main(ActivityThread.java:7664)
	at java.lang.reflect.Method.invoke(Native Method)
	at com.android.internal.os.ZygoteInit.main(ZygoteInit.java:947)`;
const view14 = `	at android.view.View.performClick(View.java:7659)
	at android.view.View$PerformClick.run(View.java:30000)
	at android.os.Handler.dispatchMessage(Handler.java:99)
	at android.os.Looper.loopOnce(Looper.java:205)
	at android.os.Looper.loop(Looper.java:294)
	at android.app.ActivityThread.main(ActivityThread.java:8177)
	at com.android.internal.os.RuntimeInit$MethodAndArgsCaller.run(RuntimeInit.java:552)`;

/** Kotlin on Android and servers, with coroutines. */
export const kotlin: Corpus = {
  language: "Kotlin",
  bugs: {
    "a click without a cart": [
      sent(
        "kotlin.UninitializedPropertyAccessException",
        "lateinit property cart has not been initialized",
        `
kotlin.UninitializedPropertyAccessException: lateinit property cart has not been initialized
	at com.acme.shop.CartFragment.pay(CartFragment.kt:48)
	at com.acme.shop.CartFragment.onViewCreated$lambda$2(CartFragment.kt:31)
	at com.acme.shop.CartFragment.$r8$lambda$Qf3kX2a9vB1-xyz(Unknown Source:0)
	at com.acme.shop.CartFragment$$ExternalSyntheticLambda1.onClick(Unknown Source:2)
${view}`,
      ),
      sent(
        "kotlin.UninitializedPropertyAccessException",
        "lateinit property cart has not been initialized",
        `
kotlin.UninitializedPropertyAccessException: lateinit property cart has not been initialized
	at com.acme.shop.CartFragment.pay(CartFragment.kt:52)
	at com.acme.shop.CartFragment.onViewCreated$lambda-3(CartFragment.kt:33)
	at com.acme.shop.CartFragment.$r8$lambda$aa81XyzqqK(Unknown Source:0)
	at com.acme.shop.CartFragment$$ExternalSyntheticLambda4.onClick(Unknown Source:2)
${view14}`,
      ),
      sent(
        "UninitializedPropertyAccessException",
        "lateinit property cart has not been initialized",
        `
FATAL EXCEPTION: main
Process: com.acme.shop, PID: 21034
kotlin.UninitializedPropertyAccessException: lateinit property cart has not been initialized
	at com.acme.shop.CartFragment.pay(CartFragment.kt:48)
	at com.acme.shop.CartFragment.onViewCreated$lambda$2(CartFragment.kt:31)
${view14}`,
      ),
    ],
    "a coroutine that loads": [
      sent(
        "java.io.IOException",
        "HTTP 503 for https://api.acme.test/items?page=2",
        `
java.io.IOException: HTTP 503 for https://api.acme.test/items?page=2
	at com.acme.shop.ItemRepository$load$2.invokeSuspend(ItemRepository.kt:25)
	at kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)
	at kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:106)
	at kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.run(CoroutineScheduler.kt:677)`,
      ),
      sent(
        "java.io.IOException",
        "HTTP 503 for https://api.acme.test/items?page=9",
        `
java.io.IOException: HTTP 503 for https://api.acme.test/items?page=9
	at com.acme.shop.ItemRepository$load$3.invokeSuspend(ItemRepository.kt:29)
	at _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)
	at com.acme.shop.ItemsViewModel$refresh$1.invokeSuspend(ItemsViewModel.kt:19)
Caused by: java.io.IOException: HTTP 503 for https://api.acme.test/items?page=9
	at com.acme.shop.ItemRepository$load$3.invokeSuspend(ItemRepository.kt:29)
	at kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)
	at kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:104)
	at kotlinx.coroutines.scheduling.CoroutineScheduler.runSafely(CoroutineScheduler.kt:584)`,
      ),
    ],
    "the main thread was blocked by an activity": [
      sent(
        "java.lang.RuntimeException",
        "Unable to start activity ComponentInfo{com.acme.shop/com.acme.shop.MainActivity}: java.lang.IllegalArgumentException: no id",
        `
java.lang.RuntimeException: Unable to start activity ComponentInfo{com.acme.shop/com.acme.shop.MainActivity}: java.lang.IllegalArgumentException: no id
	at android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3449)
	at android.os.Looper.loop(Looper.java:223)
	at android.app.ActivityThread.main(ActivityThread.java:7664)
Caused by: java.lang.IllegalArgumentException: no id
	at com.acme.shop.MainActivity.readIntent(MainActivity.kt:61)
	at com.acme.shop.MainActivity.onCreate(MainActivity.kt:24)
	at android.app.Activity.performCreate(Activity.java:8000)
	at android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3422)
	... 2 more`,
      ),
      sent(
        "java.lang.RuntimeException",
        "Unable to resume activity {com.acme.shop/com.acme.shop.MainActivity}: java.lang.IllegalArgumentException: no id",
        `
java.lang.RuntimeException: Unable to start activity ComponentInfo{com.acme.shop/com.acme.shop.MainActivity}: java.lang.IllegalArgumentException: no id
	at android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3782)
	at android.app.servertransaction.LaunchActivityItem.execute(LaunchActivityItem.java:101)
	at android.os.Looper.loopOnce(Looper.java:201)
Caused by: java.lang.IllegalArgumentException: no id
	at com.acme.shop.MainActivity.readIntent(MainActivity.kt:61)
	at com.acme.shop.MainActivity.onCreate(MainActivity.kt:24)
	at android.app.Activity.performCreate(Activity.java:8305)
	at android.app.Activity.performCreate(Activity.java:8284)
	at android.app.Instrumentation.callActivityOnCreate(Instrumentation.java:1417)
	at android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3763)
	... 2 more`,
      ),
    ],
    "an activity of another cause": [
      sent(
        "java.lang.RuntimeException",
        "Unable to start activity ComponentInfo{com.acme.shop/com.acme.shop.MainActivity}: java.lang.IllegalArgumentException: no theme",
        `
java.lang.RuntimeException: Unable to start activity ComponentInfo{com.acme.shop/com.acme.shop.MainActivity}: java.lang.IllegalArgumentException: no theme
	at android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3449)
	at android.app.ActivityThread.main(ActivityThread.java:7664)
Caused by: java.lang.IllegalArgumentException: no theme
	at com.acme.shop.ui.Themes.parse(Themes.kt:14)
	at com.acme.shop.MainActivity.onCreate(MainActivity.kt:22)
	at android.app.Activity.performCreate(Activity.java:8000)
	... 2 more`,
      ),
    ],
    "a window without a token": [
      sent(
        "android.view.WindowManager$BadTokenException",
        "Unable to add window -- token android.os.BinderProxy@5d5ba31 is not valid; is your activity running?",
        `
android.view.WindowManager$BadTokenException: Unable to add window -- token android.os.BinderProxy@5d5ba31 is not valid; is your activity running?
	at android.view.ViewRootImpl.setView(ViewRootImpl.java:1068)
	at android.view.WindowManagerGlobal.addView(WindowManagerGlobal.java:409)
	at android.app.Dialog.show(Dialog.java:340)
	at android.os.Looper.loop(Looper.java:223)`,
      ),
      sent(
        "android.view.WindowManager$BadTokenException",
        "Unable to add window -- token android.os.BinderProxy@e80f2c is not valid; is your activity running?",
        `
android.view.WindowManager$BadTokenException: Unable to add window -- token android.os.BinderProxy@e80f2c is not valid; is your activity running?
	at android.view.ViewRootImpl.setView(ViewRootImpl.java:1424)
	at android.view.WindowManagerGlobal.addView(WindowManagerGlobal.java:451)
	at android.app.Dialog.show(Dialog.java:516)
	at android.os.Looper.loopOnce(Looper.java:201)
	at android.os.Looper.loop(Looper.java:288)`,
      ),
    ],
    "a service that starts late": [
      sent(
        "android.app.ForegroundServiceDidNotStartInTimeException",
        "Context.startForegroundService() did not then call Service.startForeground(): ServiceRecord{3c1f7e u0 com.acme.shop/.SyncService}",
        `
android.app.RemoteServiceException$ForegroundServiceDidNotStartInTimeException: Context.startForegroundService() did not then call Service.startForeground(): ServiceRecord{3c1f7e u0 com.acme.shop/.SyncService}
	at android.app.ActivityThread.throwRemoteServiceException(ActivityThread.java:2005)
	at android.os.Looper.loop(Looper.java:288)`,
      ),
    ],
    "a click in Compose": [
      sent(
        "java.lang.NullPointerException",
        "null",
        `
java.lang.NullPointerException
	at com.acme.ui.CartScreenKt$CartScreen$1$2.invoke(CartScreen.kt:40)
	at com.acme.ui.CartScreenKt$CartScreen$1$2.invoke(CartScreen.kt:38)
	at androidx.compose.foundation.ClickableKt$clickable$4$gesture$1$2.invoke-k-4lQ0M(Clickable.kt:167)`,
      ),
      sent(
        "java.lang.NullPointerException",
        "null",
        `
java.lang.NullPointerException: null
	at com.acme.ui.CartScreenKt.CartScreen$lambda$3$lambda$2(CartScreen.kt:44)
	at com.acme.ui.CartScreenKt.$r8$lambda$abc123(Unknown Source:0)
	at com.acme.ui.CartScreenKt$$ExternalSyntheticLambda0.invoke(D8$$SyntheticClass:0)
	at androidx.compose.foundation.ClickableNode$clickPointerInput$3.invoke-k-4lQ0M(Clickable.kt:987)`,
      ),
    ],
  },
};
