# A Ruby application with Sentry's client, which reports to SENTRY_DSN.
require "sentry-ruby"

Sentry.init do |config|
  config.release = "shop@1.2.3+45"
  config.environment = "staging"
  config.background_worker_threads = 0
  config.logger = Logger.new($stderr)
end
Sentry.set_tags(flow: "checkout")
Sentry.set_user(id: "u-1", email: "ada@example.test", username: "ada")
Sentry.add_breadcrumb(Sentry::Breadcrumb.new(category: "cart", message: "added", level: "info", data: { sku: 7 }))

def pay
  Integer("no amount")
rescue ArgumentError
  raise "card declined"
end

begin
  pay
rescue => error
  Sentry.capture_exception(error)
end
Sentry.capture_message("a message")
event = Sentry.get_current_client.event_from_message("twice")
2.times { Sentry.get_current_client.send_event(event) }
