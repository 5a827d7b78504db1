# A Ruby application with Sentry's former client, which reports to SENTRY_DSN.
require "raven"

Raven.configure do |config|
  config.release = "shop@1.2.3+45"
  config.current_environment = "staging"
  config.logger = Logger.new($stderr)
end
Raven.tags_context(flow: "checkout")
Raven.user_context(id: "u-1", email: "ada@example.test", username: "ada")
Raven.breadcrumbs.record do |crumb|
  crumb.category = "cart"
  crumb.message = "added"
  crumb.level = "info"
  crumb.data = { sku: 7 }
end

def pay
  Integer("no amount")
rescue ArgumentError
  raise "card declined"
end

begin
  pay
rescue => error
  Raven.capture_exception(error)
end
Raven.capture_message("a message")
Raven.capture { raise KeyError, "uncaught" }
