# Receives reports from Lodge: checks the signature of each message, then prints the report.
#
# Needs Ruby 2.7 with WEBrick, which Debian's Ruby has, and nothing else: WEBHOOK_SECRET=whsec_... ruby receiver.rb

require "json"
require "openssl"
require "webrick"

SECRET = ENV.fetch("WEBHOOK_SECRET", "")
HOST = ENV.fetch("HOST", "127.0.0.1")
PORT = Integer(ENV.fetch("PORT", "4090"))
BODY_BYTES_MAX = 1_000_000
TOLERANCE_SECONDS = 300

abort "Set WEBHOOK_SECRET to the secret that lodged apply printed." unless SECRET.start_with?("whsec_")
KEY = SECRET.delete_prefix("whsec_").unpack1("m")
SEEN = {} # a message may arrive twice; a real receiver stores the ids durably
$stdout.sync = true

# Standard Webhooks: HMAC-SHA256 of id, timestamp and body; one valid signature is enough while secrets rotate.
def authentic?(request, body)
  id, timestamp, given = %w[webhook-id webhook-timestamp webhook-signature].map { |name| request[name].to_s }
  seconds = Float(timestamp, exception: false)
  return false if seconds.nil? || (Time.now.to_f - seconds).abs > TOLERANCE_SECONDS

  expected = "v1,#{[OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{timestamp}.".b + body.b)].pack("m0")}"
  given.split(" ").any? { |signature| OpenSSL.secure_compare(expected, signature) }
end

def show(message)
  data = message.fetch("data")
  envelope = data["envelope"] || {}
  puts "", "#{data["receivedAt"]}  verified  #{envelope["kind"] || "bug"}: #{envelope["title"] || data["reportId"]}"
  puts envelope["message"] if envelope["message"]
  data["attachments"].each do |attachment|
    name = attachment["filename"] || attachment["partName"]
    puts "attachment   #{name} (#{attachment["byteLength"]} bytes) #{attachment["url"]}"
  end
end

class Receiver < WEBrick::HTTPServlet::AbstractServlet
  def do_POST(request, response)
    return response.status = 413 if request.content_length.to_i > BODY_BYTES_MAX

    body = request.body.to_s
    return response.status = 401 unless authentic?(request, body)

    response.status = 204 # respond first, and do slow work afterwards
    return if SEEN.key?(request["webhook-id"])

    SEEN[request["webhook-id"]] = true
    show(JSON.parse(body))
  end
end

server = WEBrick::HTTPServer.new(BindAddress: HOST, Port: PORT, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount("/", Receiver)
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
puts "Waiting for reports at http://#{HOST}:#{PORT}/"
server.start
