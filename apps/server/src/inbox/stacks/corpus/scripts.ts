import { type Corpus, sent } from "./report.ts";

/** Python. */
export const python: Corpus = {
  language: "Python",
  bugs: {
    "no total": [
      sent(
        "KeyError",
        "'total'",
        `
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/django/core/handlers/exception.py", line 55, in inner
    response = get_response(request)
  File "/usr/lib/python3/dist-packages/django/core/handlers/base.py", line 197, in _get_response
    response = wrapped_callback(request, *callback_args, **callback_kwargs)
  File "/srv/shop/current/cart/views.py", line 20, in show
    return render(request, total(cart))
  File "/srv/shop/current/cart/prices.py", line 7, in total
    return cart["total"]
KeyError: 'total'`,
      ),
      sent(
        "KeyError",
        "'total'",
        `
Traceback (most recent call last):
  File "/app/.venv/lib/python3.13/site-packages/django/core/handlers/exception.py", line 42, in inner
    response = get_response(request)
               ^^^^^^^^^^^^^^^^^^^^^
  File "/app/cart/views.py", line 24, in show
    return render(request, total(cart))
                           ^^^^^^^^^^^
  File "/app/cart/prices.py", line 9, in total
    return cart["total"]
           ~~~~^^^^^^^^^
KeyError: 'total'`,
      ),
      sent(
        "KeyError",
        "'sum'",
        `
Traceback (most recent call last):
  File "C:\\Users\\ada\\shop\\cart\\views.py", line 24, in show
    return render(request, total(cart))
  File "C:\\Users\\ada\\shop\\cart\\prices.py", line 9, in total
    return cart["sum"]
KeyError: 'sum'`,
      ),
    ],
    "orders' view": [
      sent(
        "AttributeError",
        "'NoneType' object has no attribute 'id'",
        `\nTraceback (most recent call last):\n  File "/app/orders/views.py", line 9, in get\n    order.id\nAttributeError: 'NoneType' object has no attribute 'id'`,
      ),
      sent(
        "AttributeError",
        "'NoneType' object has no attribute 'pk'",
        `\nTraceback (most recent call last):\n  File "/home/ada/projects/shop/orders/views.py", line 12, in get\n    order.pk\nAttributeError: 'NoneType' object has no attribute 'pk'`,
      ),
    ],
    "users' view": [
      sent(
        "AttributeError",
        "'NoneType' object has no attribute 'id'",
        `\nTraceback (most recent call last):\n  File "/app/users/views.py", line 9, in get\n    user.id\nAttributeError: 'NoneType' object has no attribute 'id'`,
      ),
    ],
    "a payment that wraps a timeout": [
      sent(
        "PaymentError",
        "payment 17 failed",
        `
Traceback (most recent call last):
  File "/app/.venv/lib/python3.12/site-packages/urllib3/connection.py", line 198, in _new_conn
    sock = connection.create_connection(
  File "/usr/lib/python3.12/socket.py", line 852, in create_connection
    raise exceptions[0]
TimeoutError: timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/pay/gateway.py", line 31, in charge
    return self.session.post(url, json=body, timeout=5)
  File "/app/.venv/lib/python3.12/site-packages/requests/sessions.py", line 637, in post
    return self.request("POST", url, data=data, json=json, **kwargs)
requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='pay.test', port=443): Max retries exceeded with url: /v1/charges/17

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/pay/views.py", line 12, in post
    charge(order)
  File "/app/pay/gateway.py", line 34, in charge
    raise PaymentError(f"payment {order.id} failed") from error
pay.gateway.PaymentError: payment 17 failed`,
      ),
      sent(
        "PaymentError",
        "payment 4711 failed",
        `
Traceback (most recent call last):
  File "/usr/local/lib/python3.11/site-packages/urllib3/connection.py", line 203, in _new_conn
    sock = connection.create_connection(
  File "/usr/local/lib/python3.11/socket.py", line 851, in create_connection
    raise exceptions[0]
TimeoutError: timed out

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/shop/pay/gateway.py", line 29, in charge
    return self.session.post(url, json=body, timeout=5)
requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='pay.test', port=443): Max retries exceeded with url: /v1/charges/4711

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/shop/pay/views.py", line 14, in post
    charge(order)
  File "/srv/shop/pay/gateway.py", line 32, in charge
    raise PaymentError(f"payment {order.id} failed") from error
pay.gateway.PaymentError: payment 4711 failed`,
      ),
    ],
    "a payment that wraps a bad card": [
      sent(
        "PaymentError",
        "payment 17 failed",
        `
Traceback (most recent call last):
  File "/app/pay/gateway.py", line 30, in charge
    check(card)
  File "/app/pay/cards.py", line 8, in check
    raise ValueError("bad card")
ValueError: bad card

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/pay/views.py", line 12, in post
    charge(order)
  File "/app/pay/gateway.py", line 34, in charge
    raise PaymentError(f"payment {order.id} failed")
pay.gateway.PaymentError: payment 17 failed`,
      ),
      sent(
        "ValueError",
        "bad card",
        `
Traceback (most recent call last):
  File "/app/pay/views.py", line 14, in post
    charge(order)
  File "/app/pay/gateway.py", line 33, in charge
    check(card)
  File "/app/pay/cards.py", line 8, in check
    raise ValueError("bad card")
ValueError: bad card`,
      ),
    ],
    "an async handler": [
      sent(
        "RuntimeError",
        "no session for user 17",
        `
Traceback (most recent call last):
  File "/usr/lib/python3.11/asyncio/events.py", line 80, in _run
    self._context.run(self._callback, *self._args)
  File "/app/shop/handlers.py", line 22, in on_message
    await self.store.load(user)
  File "/app/shop/store.py", line 40, in load
    raise RuntimeError(f"no session for user {user}")
RuntimeError: no session for user 17`,
      ),
      sent(
        "RuntimeError",
        "no session for user 92",
        `
Traceback (most recent call last):
  File "/opt/venv/lib/python3.12/site-packages/starlette/routing.py", line 75, in app
    response = await f(request)
  File "/usr/lib/python3.12/asyncio/tasks.py", line 520, in wait_for
    return await fut
  File "/app/shop/handlers.py", line 25, in on_message
    await self.store.load(user)
  File "/app/shop/store.py", line 43, in load
    raise RuntimeError(f"no session for user {user}")
RuntimeError: no session for user 92`,
      ),
    ],
    "a group of tasks": [
      sent(
        "ExceptionGroup",
        "unhandled errors in a TaskGroup (1 sub-exception)",
        `
  + Exception Group Traceback (most recent call last):
  |   File "/app/shop/sync.py", line 30, in main
  |     async with asyncio.TaskGroup() as group:
  |   File "/usr/lib/python3.12/asyncio/taskgroups.py", line 145, in __aexit__
  |     raise me from None
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/shop/sync.py", line 12, in pull
    |     int(row)
    | ValueError: invalid literal for int() with base 10: 'abc'
    +------------------------------------`,
      ),
      sent(
        "ExceptionGroup",
        "unhandled errors in a TaskGroup (2 sub-exceptions)",
        `
  + Exception Group Traceback (most recent call last):
  |   File "/srv/shop/shop/sync.py", line 32, in main
  |     async with asyncio.TaskGroup() as group:
  |   File "/usr/lib/python3.13/asyncio/taskgroups.py", line 178, in __aexit__
  |     raise BaseExceptionGroup(
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/shop/shop/sync.py", line 14, in pull
    |     int(row)
    | ValueError: invalid literal for int() with base 10: 'x'
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "/srv/shop/shop/sync.py", line 14, in pull
    |     int(row)
    | ValueError: invalid literal for int() with base 10: 'y'
    +------------------------------------`,
      ),
    ],
    "a price in a generator": [
      sent(
        "KeyError",
        "'price'",
        `
Traceback (most recent call last):
  File "/app/shop/views.py", line 30, in checkout
    return total(cart)
  File "/app/shop/cart.py", line 9, in total
    return sum(item["price"] for item in cart)
  File "/app/shop/cart.py", line 9, in <listcomp>
    return sum(item["price"] for item in cart)
KeyError: 'price'`,
      ),
      sent(
        "KeyError",
        "'price'",
        `
Traceback (most recent call last):
  File "/srv/releases/20260101/shop/views.py", line 33, in checkout
    return total(cart)
           ^^^^^^^^^^^
  File "/srv/releases/20260101/shop/cart.py", line 11, in total
    return sum(item["price"] for item in cart)
KeyError: 'price'`,
      ),
    ],
  },
};

/** Ruby. */
export const ruby: Corpus = {
  language: "Ruby",
  bugs: {
    "no price": [
      sent(
        "NoMethodError",
        "undefined method `price' for nil:NilClass",
        `
/srv/shop/current/app/models/order.rb:14:in \`block in total'
/srv/shop/current/app/models/order.rb:13:in \`each'
/srv/shop/current/app/models/order.rb:13:in \`total'
/srv/shop/current/app/controllers/orders_controller.rb:9:in \`show'
/srv/shop/shared/bundle/ruby/3.2.0/gems/actionpack-7.0.4/lib/action_controller/metal/basic_implicit_render.rb:6:in \`send_action'
/srv/shop/shared/bundle/ruby/3.2.0/gems/puma-6.0.0/lib/puma/thread_pool.rb:147:in \`block in spawn_thread'`,
      ),
      sent(
        "NoMethodError",
        "undefined method 'price' for nil",
        `
/app/app/models/order.rb:16:in 'block in Order#total'
<internal:array>:42:in 'Array#each'
/app/app/models/order.rb:15:in 'Order#total'
/app/app/controllers/orders_controller.rb:11:in 'OrdersController#show'
/usr/local/bundle/gems/actionpack-8.0.1/lib/action_controller/metal/basic_implicit_render.rb:8:in 'ActionController::BasicImplicitRender#send_action'`,
      ),
      sent(
        "NoMethodError",
        "undefined method `price' for nil",
        `
app/models/order.rb:14:in \`block in total'
app/models/order.rb:13:in \`each'
app/models/order.rb:13:in \`total'
app/controllers/orders_controller.rb:9:in \`show'
actionpack (7.1.3) lib/action_controller/metal/basic_implicit_render.rb:6:in \`send_action'`,
      ),
    ],
    "no key": [
      sent(
        "KeyError",
        "key not found: :sku",
        "\n/app/lib/catalog.rb:8:in `fetch'\n/app/lib/catalog.rb:8:in `find'\n/app/lib/import.rb:30:in `block in run'\n/app/lib/import.rb:29:in `each_line'\n/app/lib/import.rb:29:in `run'",
      ),
      sent(
        "KeyError",
        "key not found: :id",
        "\n/home/deploy/shop/lib/catalog.rb:9:in 'Hash#fetch'\n/home/deploy/shop/lib/catalog.rb:9:in 'Catalog.find'\n/home/deploy/shop/lib/import.rb:31:in 'block in Import#run'\n/home/deploy/shop/lib/import.rb:30:in 'IO#each_line'\n/home/deploy/shop/lib/import.rb:30:in 'Import#run'",
      ),
    ],
    "another method of the same class": [
      sent(
        "NoMethodError",
        "undefined method `price' for nil:NilClass",
        "\n/app/app/models/order.rb:44:in `discount'\n/app/app/controllers/orders_controller.rb:9:in `show'",
      ),
    ],
    division: [
      sent(
        "ZeroDivisionError",
        "divided by 0",
        "\n/app/lib/stats.rb:3:in `/'\n/app/lib/stats.rb:3:in `average'\n/app/bin/report:5:in `<main>'",
      ),
      sent(
        "ZeroDivisionError",
        "divided by 0",
        "\n/app/lib/stats.rb:4:in 'Integer#/'\n/app/lib/stats.rb:4:in 'Stats#average'\n/app/bin/report:6:in '<main>'",
      ),
    ],
    "a job that wraps a timeout": [
      sent(
        "ImportError",
        "import 17 failed",
        "\n/app/app/jobs/import_job.rb:12:in `rescue in perform'\n/app/app/jobs/import_job.rb:9:in `perform'\nCaused by: Net::ReadTimeout: Net::ReadTimeout with #<TCPSocket:(closed)>\n/usr/lib/ruby/3.2.0/net/protocol.rb:229:in `rbuf_fill'\n/app/app/services/feed.rb:20:in `download'\n/app/app/jobs/import_job.rb:10:in `perform'",
      ),
      sent(
        "ImportError",
        "import 18 failed",
        "\n/srv/shop/app/jobs/import_job.rb:14:in 'ImportJob#perform'\nCaused by: Net::ReadTimeout: Net::ReadTimeout with #<TCPSocket:(closed)>\n/usr/local/lib/ruby/3.4.0/net/protocol.rb:229:in 'Net::BufferedIO#rbuf_fill'\n/srv/shop/app/services/feed.rb:22:in 'Feed#download'\n/srv/shop/app/jobs/import_job.rb:11:in 'ImportJob#perform'",
      ),
    ],
    "a job that wraps bad rows": [
      sent(
        "ImportError",
        "import 17 failed",
        "\n/app/app/jobs/import_job.rb:12:in `rescue in perform'\n/app/app/jobs/import_job.rb:9:in `perform'\nCaused by: CSV::MalformedCSVError: Illegal quoting in line 4.\n/app/app/services/rows.rb:20:in `parse'\n/app/app/jobs/import_job.rb:11:in `perform'",
      ),
    ],
    "a thread": [
      sent(
        "RuntimeError",
        "queue 3 is closed",
        "\n/app/lib/worker.rb:30:in `push'\n/app/lib/worker.rb:12:in `block in start'",
      ),
      sent(
        "RuntimeError",
        "queue 7 is closed",
        "\n/app/lib/worker.rb:31:in 'Worker#push'\n/app/lib/worker.rb:12:in 'block (2 levels) in Worker#start'\n<internal:kernel>:187:in 'Kernel#loop'\n/app/lib/worker.rb:11:in 'block in Worker#start'",
      ),
    ],
    "a template": [
      sent(
        "NoMethodError",
        "undefined method `name' for nil:NilClass",
        `
app/views/orders/show.html.erb:3:in \`_app_views_orders_show_html_erb__123456_7890'
app/controllers/orders_controller.rb:9:in \`show'`,
      ),
      sent(
        "NoMethodError",
        "undefined method 'name' for nil",
        `
app/views/orders/show.html.erb:4:in '_app_views_orders_show_html_erb___987654_3210'
app/controllers/orders_controller.rb:10:in 'OrdersController#show'`,
      ),
    ],
  },
};

/** PHP. */
export const php: Corpus = {
  language: "PHP",
  bugs: {
    "no total": [
      sent(
        "TypeError",
        "App\\Cart::total(): Return value must be of type int, null returned",
        `
TypeError: App\\Cart::total(): Return value must be of type int, null returned in /var/www/html/src/Cart.php:42
Stack trace:
#0 /var/www/html/src/Controller/CartController.php(31): App\\Cart->total(Array)
#1 /var/www/html/vendor/symfony/http-kernel/HttpKernel.php(183): App\\Controller\\CartController->show(Object(Symfony\\Component\\HttpFoundation\\Request))
#2 /var/www/html/public/index.php(5): require_once('/var/www/html/v...')
#3 {main}`,
      ),
      sent(
        "TypeError",
        "App\\Cart::total(): Return value must be of type int, none returned",
        `
PHP Fatal error:  Uncaught TypeError: App\\Cart::total(): Return value must be of type int, none returned in /app/src/Cart.php:45
Stack trace:
#0 /app/src/Controller/CartController.php(33): App\\Cart->total()
#1 /app/vendor/symfony/http-kernel/HttpKernel.php(181): App\\Controller\\CartController->show()
#2 /app/vendor/autoload_runtime.php(29): require()
#3 {main}
  thrown in /app/src/Cart.php on line 45`,
      ),
      sent(
        "TypeError",
        "App\\Cart::total(): Return value must be of type int, null returned",
        `
#0 C:\\xampp\\htdocs\\shop\\src\\Controller\\CartController.php(31): App\\Cart->total(Array)
#1 C:\\xampp\\htdocs\\shop\\vendor\\symfony\\http-kernel\\HttpKernel.php(183): App\\Controller\\CartController->show(Object(Request))
#2 {main}`,
      ),
    ],
    "a closure": [
      sent(
        "DivisionByZeroError",
        "Division by zero",
        `
DivisionByZeroError: Division by zero in /var/www/html/app/Services/Stats.php:12
Stack trace:
#0 [internal function]: App\\Services\\Stats->App\\Services\\{closure}(Array)
#1 /var/www/html/app/Services/Stats.php(14): array_map(Object(Closure), Array)
#2 /var/www/html/app/Console/Report.php(20): App\\Services\\Stats->average(Array)
#3 {main}`,
      ),
      sent(
        "DivisionByZeroError",
        "Division by zero",
        `
DivisionByZeroError: Division by zero in /srv/shop/releases/41/app/Services/Stats.php:13
Stack trace:
#0 [internal function]: App\\Services\\Stats->{closure:App\\Services\\Stats::average():12}(Array)
#1 /srv/shop/releases/41/app/Services/Stats.php(15): array_map(Object(Closure), Array)
#2 /srv/shop/releases/41/app/Console/Report.php(22): App\\Services\\Stats->average(Array)
#3 {main}`,
      ),
    ],
    "an order that wraps the database": [
      sent(
        "App\\OrderException",
        "order 17 failed",
        `
PDOException: SQLSTATE[HY000] [2002] Connection refused in /app/src/Database.php:20
Stack trace:
#0 /app/src/Database.php(20): PDO->__construct('mysql:host=db', 'shop', Object(SensitiveParameterValue))
#1 /app/src/Orders.php(11): App\\Database->connect()
#2 /app/src/Api.php(8): App\\Orders->save(Object(App\\Order))
#3 {main}

Next App\\OrderException: order 17 failed in /app/src/Orders.php:14
Stack trace:
#0 /app/src/Api.php(8): App\\Orders->save(Object(App\\Order))
#1 {main}`,
      ),
      sent(
        "App\\OrderException",
        "order 18 failed",
        `
PDOException: SQLSTATE[HY000] [2002] Connection refused in /var/www/shop/src/Database.php:22
Stack trace:
#0 /var/www/shop/src/Database.php(22): PDO->__construct('mysql:host=db', 'shop', 'secret')
#1 /var/www/shop/src/Orders.php(12): App\\Database->connect()
#2 /var/www/shop/src/Api.php(9): App\\Orders->save(Object(App\\Order))
#3 {main}

Next App\\OrderException: order 18 failed in /var/www/shop/src/Orders.php:15
Stack trace:
#0 /var/www/shop/src/Api.php(9): App\\Orders->save(Object(App\\Order))
#1 {main}`,
      ),
    ],
    "an order that wraps stock": [
      sent(
        "App\\OrderException",
        "order 17 failed",
        `
App\\OutOfStock: sku 4 in /app/src/Stock.php:9
Stack trace:
#0 /app/src/Orders.php(12): App\\Stock->take('sku-4')
#1 /app/src/Api.php(8): App\\Orders->save(Object(App\\Order))
#2 {main}

Next App\\OrderException: order 17 failed in /app/src/Orders.php:14
Stack trace:
#0 /app/src/Api.php(8): App\\Orders->save(Object(App\\Order))
#1 {main}`,
      ),
    ],
    "no file": [
      sent(
        "ErrorException",
        "file_get_contents(/tmp/php8Xk2aB): Failed to open stream: No such file or directory",
        `
#0 [internal function]: Illuminate\\Foundation\\Bootstrap\\HandleExceptions->handleError(2, 'file_get_conten...', '/app/app/Import...', 30)
#1 /app/app/Imports/Reader.php(30): file_get_contents('/tmp/php8Xk2aB')
#2 /app/app/Http/Controllers/ImportController.php(18): App\\Imports\\Reader->read('/tmp/php8Xk2aB')
#3 /app/vendor/laravel/framework/src/Illuminate/Routing/Controller.php(54): App\\Http\\Controllers\\ImportController->store(Object(Illuminate\\Http\\Request))`,
      ),
      sent(
        "ErrorException",
        "file_get_contents(/tmp/phpQQ81zz): Failed to open stream: No such file or directory",
        `
#0 [internal function]: Illuminate\\Foundation\\Bootstrap\\HandleExceptions->Illuminate\\Foundation\\Bootstrap\\{closure}(2, 'file_get_conten...', '/var/www/html/a...', 31)
#1 /var/www/html/app/Imports/Reader.php(31): file_get_contents('/tmp/phpQQ81zz')
#2 /var/www/html/app/Http/Controllers/ImportController.php(20): App\\Imports\\Reader->read('/tmp/phpQQ81zz')
#3 /var/www/html/vendor/laravel/framework/src/Illuminate/Routing/Controller.php(54): App\\Http\\Controllers\\ImportController->store(Object(Illuminate\\Http\\Request))`,
      ),
    ],
    "a queued job": [
      sent(
        "RuntimeException",
        "mail 99 bounced",
        `
RuntimeException: mail 99 bounced in /app/app/Jobs/SendMail.php:22
Stack trace:
#0 [internal function]: App\\Jobs\\SendMail->handle()
#1 /app/vendor/laravel/framework/src/Illuminate/Container/BoundMethod.php(36): call_user_func_array(Array, Array)
#2 /app/vendor/laravel/framework/src/Illuminate/Queue/Worker.php(389): Illuminate\\Queue\\Jobs\\Job->fire()
#3 {main}`,
      ),
    ],
  },
};

/** Elixir. */
export const elixir: Corpus = {
  language: "Elixir",
  bugs: {
    "no total": [
      sent(
        "KeyError",
        "key :total not found in: %{id: 17}",
        `
** (KeyError) key :total not found in: %{id: 17}
    (shop 0.1.0) lib/shop/cart.ex:42: Shop.Cart.total/1
    (elixir 1.15.7) lib/enum.ex:1693: Enum."-map/2-lists^map/1-1-"/2
    (shop 0.1.0) lib/shop_web/live/cart_live.ex:20: ShopWeb.CartLive.mount/3
    (phoenix_live_view 0.20.1) lib/phoenix_live_view/utils.ex:397: anonymous fn/6 in Phoenix.LiveView.Utils.maybe_call_live_view_mount!/5`,
      ),
      sent(
        "KeyError",
        'key :total not found in: %{id: 18, name: "x"}',
        `
** (KeyError) key :total not found in:

    %{id: 18, name: "x"}

    (shop 0.2.3) lib/shop/cart.ex:44: Shop.Cart.total/1
    (elixir 1.18.1) lib/enum.ex:1714: Enum."-map/2-lists^map/1-1-"/2
    (shop 0.2.3) lib/shop_web/live/cart_live.ex:22: ShopWeb.CartLive.mount/3
    (phoenix_live_view 1.0.1) lib/phoenix_live_view/utils.ex:348: anonymous fn/6 in Phoenix.LiveView.Utils.maybe_call_live_view_mount!/5`,
      ),
      sent(
        "Elixir.KeyError",
        "key :total not found",
        `
    lib/shop/cart.ex:44: Shop.Cart.total/1
    lib/shop_web/live/cart_live.ex:22: ShopWeb.CartLive.mount/3
    (stdlib 5.2) gen_server.erl:1095: :gen_server.try_handle_call/4
    (stdlib 5.2) proc_lib.erl:241: :proc_lib.init_p_do_apply/3`,
      ),
    ],
    "no clause": [
      sent(
        "FunctionClauseError",
        "no function clause matching in Shop.Price.format/1",
        `
** (FunctionClauseError) no function clause matching in Shop.Price.format/1
    (shop 0.1.0) lib/shop/price.ex:5: Shop.Price.format(nil)
    (shop 0.1.0) lib/shop_web/controllers/price_html.ex:9: ShopWeb.PriceHTML.show/1`,
      ),
      sent(
        "FunctionClauseError",
        "no function clause matching in Shop.Price.format/1",
        `
** (FunctionClauseError) no function clause matching in Shop.Price.format/1
    (shop 0.1.1) lib/shop/price.ex:6: Shop.Price.format(%{amount: 17})
    (shop 0.1.1) lib/shop_web/controllers/price_html.ex:9: ShopWeb.PriceHTML.show/1`,
      ),
    ],
    "another key at another place": [
      sent(
        "KeyError",
        "key :total not found in: %{}",
        `
** (KeyError) key :total not found in: %{}
    (shop 0.1.0) lib/shop/invoice.ex:12: Shop.Invoice.sum/1
    (shop 0.1.0) lib/shop_web/live/cart_live.ex:20: ShopWeb.CartLive.mount/3`,
      ),
    ],
    "a task": [
      sent(
        "RuntimeError",
        "feed 17 is empty",
        `
** (EXIT from #PID<0.512.0>) an exception was raised:
    ** (RuntimeError) feed 17 is empty
        (shop 0.1.0) lib/shop/feed.ex:30: Shop.Feed.pull/1
        (shop 0.1.0) lib/shop/feed.ex:12: anonymous fn/1 in Shop.Feed.start/0
        (elixir 1.16.0) lib/task/supervised.ex:101: Task.Supervised.invoke_mfa/2`,
      ),
      sent(
        "RuntimeError",
        "feed 99 is empty",
        `
** (EXIT from #PID<0.97.1>) an exception was raised:
    ** (RuntimeError) feed 99 is empty
        (shop 0.1.2) lib/shop/feed.ex:31: Shop.Feed.pull/1
        (shop 0.1.2) lib/shop/feed.ex:13: Shop.Feed."-start/0-fun-0-"/1
        (elixir 1.17.2) lib/task/supervised.ex:101: Task.Supervised.invoke_mfa/2
        (elixir 1.17.2) lib/task/supervised.ex:36: Task.Supervised.reply/4`,
      ),
    ],
    "a call that timed out": [
      sent(
        "exit",
        "exited in: GenServer.call(Shop.Stock, {:take, 17}, 5000)",
        `
** (exit) exited in: GenServer.call(Shop.Stock, {:take, 17}, 5000)
    ** (EXIT) time out
    (elixir 1.15.7) lib/gen_server.ex:1074: GenServer.call/3
    (shop 0.1.0) lib/shop/stock.ex:18: Shop.Stock.take/1
    (shop 0.1.0) lib/shop/orders.ex:9: Shop.Orders.place/1`,
      ),
      sent(
        "exit",
        "exited in: GenServer.call(Shop.Stock, {:take, 4711}, 5000)",
        `
** (exit) exited in: GenServer.call(Shop.Stock, {:take, 4711}, 5000)
    ** (EXIT) time out
    (elixir 1.17.0) lib/gen_server.ex:1128: GenServer.call/3
    (shop 0.2.0) lib/shop/stock.ex:20: Shop.Stock.take/1
    (shop 0.2.0) lib/shop/orders.ex:11: Shop.Orders.place/1`,
      ),
    ],
  },
};
