import { type Corpus, framed, sent } from "./report.ts";

/** Go. */
export const go: Corpus = {
  language: "Go",
  bugs: {
    "index of a row": [
      sent(
        "runtime error",
        "index out of range [5] with length 3",
        `
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.(*Table).Row(0xc000010000, 0x5)
	/home/ada/shop/table.go:42 +0x1b
main.print(...)
	/home/ada/shop/print.go:12
main.main()
	/home/ada/shop/main.go:9 +0x3c
exit status 2`,
      ),
      sent(
        "runtime error",
        "index out of range [17] with length 4",
        `
panic: runtime error: index out of range [17] with length 4 [recovered]
	panic: runtime error: index out of range [17] with length 4

goroutine 34 [running]:
panic({0x4a1d20?, 0xc00001c0c0?})
	/usr/local/go/src/runtime/panic.go:884 +0x213
main.(*Table).Row(...)
	/build/table.go:45
main.print({0xc000012345, 0x2, 0x2})
	/build/print.go:13 +0x8f
main.main()
	/build/main.go:9 +0x44

goroutine 5 [IO wait]:
internal/poll.runtime_pollWait(0x7f1c2c0e6e28, 0x72)
	/usr/local/go/src/runtime/netpoll.go:306 +0x89`,
      ),
      sent(
        "runtime.boundsError",
        "runtime error: index out of range [1] with length 0",
        `
goroutine 1 gp=0xc0000061c0 m=0 mp=0x5a1d20 [running]:
runtime/debug.Stack()
	runtime/debug/stack.go:26 +0x5e
panic({0x4a1d20?, 0xc00001c0c0?})
	runtime/panic.go:785 +0x132
main.(*Table).Row(0xc000010000, 0x1)
	shop/table.go:45 +0x1b
main.print({0xc000012345, 0x2, 0x2})
	shop/print.go:13 +0x8f
main.main()
	shop/main.go:9 +0x44`,
      ),
    ],
    "a nil order": [
      sent(
        "runtime error",
        "invalid memory address or nil pointer dereference",
        `
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x48f3a1]

goroutine 18 [running]:
github.com/acme/shop/order.(*Service).Total(0x0, {0x5b3a20, 0xc0000a0000})
	/src/order/service.go:31 +0x21
github.com/acme/shop/api.(*Server).handleOrder.func1({0x5b8c40, 0xc0000ba000}, 0xc0000b8000)
	/src/api/server.go:60 +0x9c
net/http.HandlerFunc.ServeHTTP(0xc00009c0c0?, {0x5b8c40?, 0xc0000ba000?}, 0x0?)
	/usr/local/go/src/net/http/server.go:2136 +0x29
net/http.(*conn).serve(0xc0000a4000, {0x5b9000, 0xc000098000})
	/usr/local/go/src/net/http/server.go:2009 +0x5f4
created by net/http.(*Server).Serve in goroutine 1
	/usr/local/go/src/net/http/server.go:3086 +0x5cb`,
      ),
      sent(
        "runtime error",
        "invalid memory address or nil pointer dereference",
        `
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x2 addr=0x0 pc=0x1022a3c44]

goroutine 921 [running]:
github.com/acme/shop/order.(*Service).Total(...)
	github.com/acme/shop/order/service.go:33
github.com/acme/shop/api.(*Server).handleOrder.func2({0x1023b8c40, 0x140000ba000}, 0x140000b8000)
	github.com/acme/shop/api/server.go:64 +0x9c
github.com/go-chi/chi/v5.(*Mux).routeHTTP(0x140001, {0x1, 0x2}, 0x3)
	github.com/go-chi/chi/v5@v5.0.10/mux.go:444 +0x1f
net/http.HandlerFunc.ServeHTTP(0x14000?, {0x10?, 0x14?}, 0x0?)
	net/http/server.go:2220 +0x38
created by net/http.(*Server).Serve in goroutine 7
	net/http/server.go:3360 +0x3dc`,
      ),
    ],
    "a nil order elsewhere": [
      sent(
        "runtime error",
        "invalid memory address or nil pointer dereference",
        `
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x48f3a1]

goroutine 18 [running]:
github.com/acme/shop/order.(*Service).Cancel(0x0)
	/src/order/service.go:90 +0x21
github.com/acme/shop/api.(*Server).handleOrder.func1({0x5b8c40, 0xc0000ba000}, 0xc0000b8000)
	/src/api/server.go:60 +0x9c`,
      ),
    ],
    "a wrapped refusal": [
      sent(
        "*fmt.wrapError",
        "load order 17: query: dial tcp 10.0.0.7:5432: connect: connection refused",
        `
goroutine 44 [running]:
github.com/acme/shop/report.Capture(...)
	/src/report/report.go:10
github.com/acme/shop/api.(*Server).fail(0xc000010000, {0x5b3a20, 0xc0000a0000})
	/src/api/errors.go:12 +0x44
github.com/acme/shop/api.(*Server).getOrder(0xc000010000)
	/src/api/orders.go:31 +0x10`,
      ),
      sent(
        "*fmt.wrapError",
        "load order 99: query: dial tcp 10.0.0.9:5432: connect: connection refused",
        `
goroutine 1021 [running]:
github.com/acme/shop/report.Capture(...)
	/go/src/shop/report/report.go:10
github.com/acme/shop/api.(*Server).fail(0xc0000aa000, {0x5b3a20, 0xc0000a0000})
	/go/src/shop/api/errors.go:14 +0x44
github.com/acme/shop/api.(*Server).getOrder(0xc0000aa000)
	/go/src/shop/api/orders.go:32 +0x10`,
      ),
    ],
    "the same wrapper around no rows": [
      sent(
        "*fmt.wrapError",
        "load order 17: query: sql: no rows in result set",
        `
goroutine 44 [running]:
github.com/acme/shop/report.Capture(...)
	/src/report/report.go:10
github.com/acme/shop/api.(*Server).fail(0xc000010000, {0x5b3a20, 0xc0000a0000})
	/src/api/errors.go:12 +0x44
github.com/acme/shop/api.(*Server).getOrder(0xc000010000)
	/src/api/orders.go:31 +0x10`,
      ),
    ],
    "a goroutine that panics": [
      sent(
        "panic",
        "send on closed channel",
        `
panic: send on closed channel

goroutine 51 [running]:
github.com/acme/shop/mail.(*Queue).push(0xc0000b2000, 0x3)
	/src/mail/queue.go:20 +0x33
created by github.com/acme/shop/mail.(*Queue).Start
	/src/mail/queue.go:14 +0x5a`,
      ),
      sent(
        "panic",
        "send on closed channel",
        `
panic: send on closed channel

goroutine 8 [running]:
github.com/acme/shop/mail.(*Queue).push(0xc0000c4000, 0x8)
	/src/mail/queue.go:22 +0x33
created by github.com/acme/shop/mail.(*Queue).Start in goroutine 1
	/src/mail/queue.go:15 +0x5a`,
      ),
    ],
    "a nil map, told by a deferred function": [
      sent(
        "panic",
        "assignment to entry in nil map",
        `
panic: assignment to entry in nil map

goroutine 7 [running]:
github.com/acme/pay/internal/ledger.(*Book).Add(...)
	/home/runner/work/pay/pay/internal/ledger/book.go:55
github.com/acme/pay/internal/worker.run(0xc0000b6000)
	/home/runner/work/pay/pay/internal/worker/worker.go:88 +0x1c5
created by github.com/acme/pay/internal/worker.Start in goroutine 1
	/home/runner/work/pay/pay/internal/worker/worker.go:70 +0x9b`,
      ),
      sent(
        "panic",
        "assignment to entry in nil map",
        `
goroutine 99 [running]:
runtime/debug.Stack()
	/opt/go/src/runtime/debug/stack.go:24 +0x5e
github.com/acme/pay/internal/worker.run.func1()
	/app/internal/worker/worker.go:80 +0x3b
panic({0x10a1c0?, 0x1234560?})
	/opt/go/src/runtime/panic.go:914 +0x21f
github.com/acme/pay/internal/ledger.(*Book).Add(0xc000123450, 0x2a)
	/app/internal/ledger/book.go:57 +0x5b
github.com/acme/pay/internal/worker.run(0xc0000b6000)
	/app/internal/worker/worker.go:90 +0x1c5`,
      ),
      framed("runtime.plainError", "assignment to entry in nil map", "go", [
        {
          function: "(*Book).Add",
          module: "github.com/acme/pay/internal/ledger",
          file: "/app/internal/ledger/book.go",
        },
        { function: "run", module: "github.com/acme/pay/internal/worker", file: "/app/internal/worker/worker.go" },
      ]),
    ],
  },
};

/** Rust. */
export const rust: Corpus = {
  language: "Rust",
  bugs: {
    "no price": [
      sent(
        "panic",
        "called `Option::unwrap()` on a `None` value",
        `
thread 'main' panicked at 'called \`Option::unwrap()\` on a \`None\` value', src/cart.rs:42:26
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:578:5
   1: core::panicking::panic_fmt
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/core/src/panicking.rs:67:14
   2: core::panicking::panic
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/core/src/panicking.rs:117:5
   3: core::option::Option<T>::unwrap
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/core/src/option.rs:950:21
   4: shop::cart::Cart::total
             at ./src/cart.rs:42:9
   5: shop::main
             at ./src/main.rs:7:5
   6: core::ops::function::FnOnce::call_once
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/core/src/ops/function.rs:250:5`,
      ),
      sent(
        "panic",
        "called `Option::unwrap()` on a `None` value",
        `
thread 'main' (40012) panicked at src/cart.rs:45:26:
called \`Option::unwrap()\` on a \`None\` value
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/29483883eed69d5fb4db01964cdf2af4d86e9cb2/library/std/src/panicking.rs:697:5
   1: core::panicking::panic_fmt
             at /rustc/29483883eed69d5fb4db01964cdf2af4d86e9cb2/library/core/src/panicking.rs:75:14
   2: core::option::unwrap_failed
             at /rustc/29483883eed69d5fb4db01964cdf2af4d86e9cb2/library/core/src/option.rs:2072:5
   3: shop::cart::Cart::total
             at /home/ada/shop/src/cart.rs:45:9
   4: shop::main
             at /home/ada/shop/src/main.rs:7:5
   5: std::sys::backtrace::__rust_begin_short_backtrace
   6: main
   7: __libc_start_main`,
      ),
      sent(
        "panic",
        "called `Option::unwrap()` on a `None` value",
        `
   0:     0x55d0c8f6a2b1 - std::backtrace_rs::backtrace::libunwind::trace::h0f1e2d3c4b5a6978
   1:     0x55d0c8f6a2b1 - rust_begin_unwind
   2:     0x55d0c8e1c0f3 - core::panicking::panic_fmt::h8cd0e3b0f64c7e1a
   3:     0x55d0c8e1c1a0 - core::panicking::panic::h1fa9a3ff2b8d9a01
   4:     0x55d0c8e2a774 - shop::cart::Cart::total::h3f2a9c1b77d0e2aa
                               at /app/src/cart.rs:45:9
   5:     0x55d0c8e2b010 - shop::main::hbb19c6f1f7a1c0de
                               at /app/src/main.rs:7:5
   6:     0x55d0c8e2b999 - std::rt::lang_start::h0123456789abcdef`,
      ),
    ],
    "an index": [
      sent(
        "panic",
        "index out of bounds: the len is 3 but the index is 5",
        `
thread 'tokio-runtime-worker' panicked at src/rows.rs:12:9:
index out of bounds: the len is 3 but the index is 5
stack backtrace:
   0: rust_begin_unwind
             at /rustc/aedd173a2c086e558c2b66d3743b344f977621a7/library/std/src/panicking.rs:647:5
   1: core::panicking::panic_bounds_check
             at /rustc/aedd173a2c086e558c2b66d3743b344f977621a7/library/core/src/panicking.rs:208:5
   2: shop::rows::pick
             at ./src/rows.rs:12:9
   3: shop::sync::run::{{closure}}
             at ./src/sync.rs:30:13
   4: tokio::runtime::task::core::Core<T,S>::poll
             at /home/ada/.cargo/registry/src/index.crates.io-6f17d22bba15001f/tokio-1.36.0/src/runtime/task/core.rs:328:17`,
      ),
      sent(
        "panic",
        "index out of bounds: the len is 9 but the index is 9",
        `
thread 'tokio-runtime-worker' panicked at src/rows.rs:14:9:
index out of bounds: the len is 9 but the index is 9
stack backtrace:
   0: rust_begin_unwind
   1: core::panicking::panic_bounds_check
   2: shop::rows::pick
             at ./src/rows.rs:14:9
   3: shop::sync::run::{{closure}}::{{closure}}
             at ./src/sync.rs:33:13
   4: <core::pin::Pin<P> as core::future::future::Future>::poll
   5: tokio::runtime::task::harness::Harness<T,S>::poll
             at /usr/local/cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tokio-1.41.0/src/runtime/task/harness.rs:153:27`,
      ),
    ],
    "the same at another place": [
      sent(
        "panic",
        "called `Option::unwrap()` on a `None` value",
        `
   0: rust_begin_unwind
   1: core::panicking::panic
   2: shop::cart::Cart::discount
             at ./src/cart.rs:60:9
   3: shop::main
             at ./src/main.rs:8:5`,
      ),
    ],
    "a config that is missing": [
      sent(
        "anyhow::Error",
        "could not start",
        `
Error: could not start

Caused by:
    0: reading config
    1: No such file or directory (os error 2)

Stack backtrace:
   0: anyhow::error::<impl core::convert::From<E> for anyhow::Error>::from
   1: shop::config::read
             at ./src/config.rs:11:20
   2: shop::main
             at ./src/main.rs:5:13`,
      ),
      sent(
        "anyhow::Error",
        "could not start",
        `
Error: could not start

Caused by:
    0: reading config
    1: No such file or directory (os error 2)

Stack backtrace:
   0: anyhow::backtrace::capture::Backtrace::capture
             at /root/.cargo/registry/src/github.com-1ecc6299db9ec823/anyhow-1.0.75/src/backtrace.rs:216:21
   1: shop::config::read
             at /build/src/config.rs:13:20
   2: shop::main
             at /build/src/main.rs:5:13`,
      ),
    ],
    "a config that is refused": [
      sent(
        "anyhow::Error",
        "could not start",
        `
Error: could not start

Caused by:
    0: reading config
    1: Permission denied (os error 13)

Stack backtrace:
   0: anyhow::error::<impl core::convert::From<E> for anyhow::Error>::from
   1: shop::config::read
             at ./src/config.rs:11:20
   2: shop::main
             at ./src/main.rs:5:13`,
      ),
    ],
    "a trait": [
      sent(
        "panic",
        "not yet implemented",
        `
   0: rust_begin_unwind
   1: core::panicking::panic_fmt
   2: <shop::pay::Card as shop::pay::Method>::charge
             at ./src/pay.rs:22:9
   3: shop::api::pay::{{closure}}
             at ./src/api.rs:14:5`,
      ),
      sent(
        "panic",
        "not yet implemented",
        `
   0: __rustc::rust_begin_unwind
   1: core::panicking::panic_fmt
   2: <shop::pay::Card as shop::pay::Method>::charge::hdeadbeef01234567
   3: shop::api::pay::{async_fn#0}::h00aa11bb22cc33dd
             at ./src/api.rs:15:5`,
      ),
    ],
    "a task of tokio": [
      sent(
        "panic",
        "called `Result::unwrap()` on an `Err` value: Timeout(5s)",
        `
thread 'tokio-runtime-worker' panicked at src/fetch.rs:20:44:
called \`Result::unwrap()\` on an \`Err\` value: Timeout(5s)
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5
   1: core::result::unwrap_failed
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/result.rs:1699:5
   2: shop::fetch::rates::{{closure}}
             at ./src/fetch.rs:20:44
   3: <shop::jobs::Job as shop::jobs::Run>::run::{{closure}}
             at ./src/jobs.rs:9:22
   4: tokio::runtime::task::core::Core<T,S>::poll::{{closure}}
             at /root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/tokio-1.41.1/src/runtime/task/core.rs:331:17`,
      ),
      sent(
        "panic",
        "called `Result::unwrap()` on an `Err` value: Timeout(10s)",
        `
thread 'tokio-runtime-worker' panicked at 'called \`Result::unwrap()\` on an \`Err\` value: Timeout(10s)', src/fetch.rs:22:44
stack backtrace:
   0: rust_begin_unwind
   1: core::result::unwrap_failed
   2: shop::fetch::rates::{async_fn#0}
             at C:\\src\\shop\\src\\fetch.rs:22
   3: _<shop..jobs..Job as shop..jobs..Run>::run::{async_fn#0}::h29de8a7e2f1a5f37
             at C:\\src\\shop\\src\\jobs.rs:9
   4: tokio::runtime::task::raw::poll`,
      ),
    ],
  },
};

/** .NET, Unity and Mono. */
export const dotnet: Corpus = {
  language: ".NET",
  bugs: {
    "no price": [
      sent(
        "System.NullReferenceException",
        "Object reference not set to an instance of an object.",
        `
System.NullReferenceException: Object reference not set to an instance of an object.
   at Acme.Shop.Cart.Total(IEnumerable\`1 items) in /src/Shop/Cart.cs:line 42
   at Acme.Shop.Web.CartController.Show(Int32 id) in /src/Shop.Web/CartController.cs:line 20
   at lambda_method12(Closure, Object, Object[])
   at Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor.SyncActionResultExecutor.Execute(ActionContext actionContext)`,
      ),
      sent(
        "System.NullReferenceException",
        "Object reference not set to an instance of an object.",
        `
   at Acme.Shop.Cart.Total(IEnumerable\`1 items) in C:\\agent\\_work\\7\\s\\Shop\\Cart.cs:line 45
   at Acme.Shop.Web.CartController.Show(Int32 id) in C:\\agent\\_work\\7\\s\\Shop.Web\\CartController.cs:line 22
   at lambda_method4411(Closure , Object , Object[] )
   at Microsoft.AspNetCore.Mvc.Infrastructure.ControllerActionInvoker.<InvokeActionMethodAsync>g__Logged|12_1(ControllerActionInvoker invoker)`,
      ),
      sent(
        "NullReferenceException",
        "Der Objektverweis wurde nicht auf eine Objektinstanz festgelegt.",
        `
   bei Acme.Shop.Cart.Total(IEnumerable\`1 items) in D:\\Shop\\Cart.cs:Zeile 45.
   bei Acme.Shop.Web.CartController.Show(Int32 id)
   bei System.Web.Mvc.ActionMethodDispatcher.Execute(ControllerBase controller, Object[] parameters)`,
      ),
    ],
    "an async load": [
      sent(
        "System.InvalidOperationException",
        "order 17 is closed",
        `
System.InvalidOperationException: order 17 is closed
   at Acme.Shop.Orders.Guard(Order order) in /src/Orders.cs:line 12
   at Acme.Shop.Orders.<LoadAsync>d__4.MoveNext() in /src/Orders.cs:line 30
--- End of stack trace from previous location where exception was thrown ---
   at System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw()
   at System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccessAndDebuggerNotification(Task task)
   at Acme.Shop.Web.OrdersController.<Get>d__2.MoveNext() in /src/OrdersController.cs:line 9`,
      ),
      sent(
        "System.InvalidOperationException",
        "order 18 is closed",
        `
System.InvalidOperationException: order 18 is closed
   at Acme.Shop.Orders.Guard(Order order) in /build/Orders.cs:line 14
   at Acme.Shop.Orders.LoadAsync(Int32 id) in /build/Orders.cs:line 33
--- End of stack trace from previous location ---
   at Acme.Shop.Web.OrdersController.Get(Int32 id) in /build/OrdersController.cs:line 11
   at Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor.TaskOfIActionResultExecutor.Execute()`,
      ),
      sent(
        "System.AggregateException",
        "One or more errors occurred. (order 19 is closed)",
        `
System.AggregateException: One or more errors occurred. (order 19 is closed)
 ---> System.InvalidOperationException: order 19 is closed
   at Acme.Shop.Orders.Guard(Order order) in /build/Orders.cs:line 14
   at Acme.Shop.Orders.<LoadAsync>d__5.MoveNext() in /build/Orders.cs:line 33
--- End of stack trace from previous location ---
   at Acme.Shop.Web.OrdersController.<Get>d__3.MoveNext() in /build/OrdersController.cs:line 11
   --- End of inner exception stack trace ---
   at System.Threading.Tasks.Task.Wait(Int32 millisecondsTimeout, CancellationToken cancellationToken)`,
      ),
    ],
    "a lambda": [
      sent(
        "System.DivideByZeroException",
        "Attempted to divide by zero.",
        `
   at Acme.Shop.Stats.<>c.<Average>b__3_0(Row row) in /src/Stats.cs:line 8
   at System.Linq.Enumerable.SelectListIterator\`2.MoveNext()
   at Acme.Shop.Stats.Average(List\`1 rows) in /src/Stats.cs:line 7`,
      ),
      sent(
        "System.DivideByZeroException",
        "Attempted to divide by zero.",
        `
   at Acme.Shop.Stats.<>c__DisplayClass4_0.<Average>b__1(Row row) in /src/Stats.cs:line 11
   at System.Linq.Enumerable.ListSelectIterator\`2.ToArray()
   at Acme.Shop.Stats.Average(List\`1 rows) in /src/Stats.cs:line 9`,
      ),
    ],
    "saving wraps a refused connection": [
      sent(
        "Acme.Shop.SaveException",
        "could not save 17",
        `
Acme.Shop.SaveException: could not save 17
 ---> Npgsql.NpgsqlException (0x80004005): Failed to connect to 10.0.0.7:5432
 ---> System.Net.Sockets.SocketException (111): Connection refused
   at Npgsql.Internal.NpgsqlConnector.Connect(NpgsqlTimeout timeout)
   at Acme.Shop.Store.Open() in /src/Store.cs:line 8
   --- End of inner exception stack trace ---
   at Npgsql.Internal.NpgsqlConnector.Open(NpgsqlTimeout timeout)
   at Acme.Shop.Store.Open() in /src/Store.cs:line 8
   --- End of inner exception stack trace ---
   at Acme.Shop.Store.Save(Order order) in /src/Store.cs:line 20`,
      ),
      sent(
        "Acme.Shop.SaveException",
        "could not save 18",
        `
Acme.Shop.SaveException: could not save 18
 ---> Npgsql.NpgsqlException (0x80004005): Failed to connect to 10.0.0.9:5432
 ---> System.Net.Sockets.SocketException (111): Connection refused
   at Npgsql.Internal.NpgsqlConnector.Connect(NpgsqlTimeout timeout)
   at Acme.Shop.Store.Open() in /app/Store.cs:line 9
   --- End of inner exception stack trace ---
   at Acme.Shop.Store.Open() in /app/Store.cs:line 9
   --- End of inner exception stack trace ---
   at Acme.Shop.Store.Save(Order order) in /app/Store.cs:line 23`,
      ),
    ],
    "saving wraps a constraint": [
      sent(
        "Acme.Shop.SaveException",
        "could not save 17",
        `
Acme.Shop.SaveException: could not save 17
 ---> Acme.Shop.DuplicateOrder: 17
   at Acme.Shop.Store.Check(Order order) in /src/Store.cs:line 15
   at Acme.Shop.Store.Save(Order order) in /src/Store.cs:line 19
   --- End of inner exception stack trace ---
   at Acme.Shop.Store.Save(Order order) in /src/Store.cs:line 20`,
      ),
    ],
    "Unity's player": [
      sent(
        "NullReferenceException",
        "Object reference not set to an instance of an object",
        `
Acme.Game.Player.Hit (System.Int32 damage) (at Assets/Scripts/Player.cs:42)
Acme.Game.Enemy.Update () (at Assets/Scripts/Enemy.cs:12)`,
      ),
      sent(
        "NullReferenceException",
        "Object reference not set to an instance of an object.",
        `
  at Acme.Game.Player.Hit (System.Int32 damage) [0x00012] in <3f2a9c1b77d0e2aabb19c6f1f7a1c0de>:0 
  at Acme.Game.Enemy.Update () [0x00001] in <3f2a9c1b77d0e2aabb19c6f1f7a1c0de>:0 `,
      ),
      sent(
        "NullReferenceException",
        "Object reference not set to an instance of an object.",
        `
  at Acme.Game.Player.Hit (System.Int32 damage) [0x00000] in <00000000000000000000000000000000>:0 
  at Acme.Game.Enemy.Update () [0x00000] in <00000000000000000000000000000000>:0 
UnityEngine.Debug:LogException(Exception)`,
      ),
    ],
    "a bank that refuses": [
      sent(
        "System.Net.Http.HttpRequestException",
        "Connection refused (localhost:5001)",
        `
System.Net.Http.HttpRequestException: Connection refused (localhost:5001)
 ---> System.Net.Sockets.SocketException (111): Connection refused
   at System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs.ThrowException(SocketError error, CancellationToken token)
   --- End of inner exception stack trace ---
   at System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync(String host, Int32 port, Boolean async)
   at Acme.Bank.Ask(Int32 amount) in /src/Bank.cs:line 20
   at Acme.Pay.Charge() in /src/Pay.cs:line 9`,
      ),
      sent(
        "System.Net.Http.HttpRequestException",
        "No connection could be made because the target machine actively refused it. (bank:443)",
        `
System.Net.Http.HttpRequestException: No connection could be made because the target machine actively refused it. (bank:443)
 ---> System.Net.Sockets.SocketException (10061): No connection could be made because the target machine actively refused it.
   at System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs.ThrowException(SocketError error, CancellationToken token)
   --- End of inner exception stack trace ---
   at Acme.Bank.Ask(Int32 amount) in C:\\src\\Bank.cs:line 22
   at Acme.Pay.Charge() in C:\\src\\Pay.cs:line 10`,
      ),
    ],
    "an item that is missing, in text and in fields": [
      sent(
        "System.InvalidOperationException",
        "Sequence contains no elements",
        `
System.InvalidOperationException: Sequence contains no elements
   at System.Linq.Enumerable.First[TSource](IEnumerable\`1 source)
   at Acme.Shop.Cart.FirstItem() in C:\\src\\Shop\\Cart.cs:line 12
   at Acme.Shop.CartService.<LoadAsync>d__4.MoveNext() in C:\\src\\Shop\\CartService.cs:line 30`,
      ),
      framed("System.InvalidOperationException", "Sequence contains no elements", "csharp", [
        { function: "TSource Enumerable.First<TSource>(IEnumerable<TSource> source)", module: "System.Linq" },
        { function: "Item Cart.FirstItem()", module: "Acme.Shop.Cart", file: "Cart.cs", inApp: true },
        { function: "async Task<Item> CartService.LoadAsync(int id)", module: "Acme.Shop, Version=1.0.0.0" },
      ]),
    ],
  },
};
