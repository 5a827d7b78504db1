import {
  type ErrorPart,
  type Language,
  makeFrame,
  numberOf,
  type Place,
  type StackFrame,
  splitHeader,
  type Thread,
} from "../frame.ts";

/** `at java.base/java.util.Objects.requireNonNull(Objects.java:233)`: no space before the bracket, and no address in it. */
const frame = /^\s*at (?:[\w.@-]*\/\/?)?([^\s()/]+)\.([^\s()./]+|<c?l?init>)\(([^()]*)\)(?: ~?\[[^\]]*\])?$/;
/** The class of a lambda that the platform generates contains a slash. */
const lambdaFrame = /^\s*at (?=[^\s()]*\$\$Lambda)[^\s()]+\(([^()]*)\)/;
const more = /^\s*\.\.\. (\d{1,6}) (?:more|common frames omitted)/;
const cause = /^\s*(?:Wrapped by|Caused by): (.*)$/;
/** Suppressed errors, outside the chain: their frames are indented deeper and ignored. */
const suppressed = /^\s*Suppressed: /;
const place = /^(?:([\w$.-]+\.\w+|SourceFile|PG|Unknown Source|[\w-]+))?(?::(-?\d{1,9}))?$/;
const thread = /^(?:Exception in thread )?"([^"]{1,100})"(?: .*)?$/;

const platform =
  /^(?:java|javax|jdk|sun|com\.sun|jakarta|kotlin|kotlinx|android|androidx|dalvik|libcore|com\.android|scala|groovy|clojure|akka|org\.(?:apache|springframework|hibernate|eclipse|jboss|wildfly|junit|mockito|slf4j|codehaus|groovy|aspectj|postgresql|mariadb|mongodb|gradle|glassfish|jetbrains|koin|reactivestreams|joda|json|xml|w3c|omg|ietf|objectweb|ehcache|quartz|flywaydb|liquibase|mybatis|thymeleaf|jooq|redisson|elasticsearch|opensearch|bouncycastle|chromium|webkit|xerial|h2|hsqldb|yaml|threeten|conscrypt|assertj|hamcrest|testng|pf4j|keycloak|infinispan|picocontainer|javassist|robolectric|greenrobot)|com\.(?:google|fasterxml|squareup|zaxxer|mysql|microsoft|oracle|amazonaws|facebook|bumptech|jakewharton|mongodb|rabbitmq|netflix|github|datastax|hazelcast|airbnb|airbnb\.lottie|codahale|typesafe|ibm|intellij|jcraft|esotericsoftware|badlogic|unity3d|huawei|samsung|miui|mediatek|qualcomm|vivo|oppo|htc|tencent|alibaba|newrelic|bugsnag|crashlytics)|io\.(?:netty|reactivex|projectreactor|ktor|micrometer|micronaut|quarkus|vertx|undertow|grpc|lettuce|sentry|opentelemetry|jsonwebtoken|swagger|r2dbc|smallrye|flutter|realm|insert-koin|confluent|prometheus|kubernetes|fabric8|dropwizard|helidon|jaegertracing|opentracing|cucumber|restassured)|okhttp3|okio|retrofit2|rx|reactor|dagger|butterknife|coil|coil3|lombok|junit|net\.(?:bytebuddy|sf|logstash|jpountz|openhft)|ch\.qos|feign|freemarker|play|zio|cats|monix|fs2|shadow|redis\.clients|oracle|_COROUTINE|worker\.org|de\.greenrobot|leakcanary|timber|bolts|external)\./;
/** Classes that proxies, compilers and the platform generate, whose names differ between runs. */
const generated =
  /\$\$(?:Lambda|FastClass|EnhancerBy|SpringCGLIB|ExternalSynthetic|Proxy|InternalSynthetic|Nest)|\$Proxy\d|(?:^|\.)\$?Proxy\d+$|\$\$D8|GeneratedMethodAccessor|GeneratedConstructorAccessor|\$HibernateProxy|_\$\$_|ByteBuddy\$|\$ByteBuddy/;
const generatedMethod = /^(?:access\$.*|\$r8\$.*|-\$\$Nest.*|\$deserializeLambda\$|lambda\$\$.*)$/;
const calledOnLambda =
  /^(?:invoke|invokeSuspend|run|call|apply|accept|get|test|doResume|emit|create|onClick|onChanged|compare)$/;

/** The JVM and Android: Java, Kotlin, Scala and Groovy, also obfuscated by R8. */
export const jvm: Language = {
  name: "jvm",
  isFrame: (line) => {
    const [, , , where] = frame.exec(line) ?? [];
    return (where !== undefined && isPlaceOfJvm(where)) || lambdaFrame.test(line);
  },
  read: (lines) => {
    const parts: ErrorPart[] = [];
    const threads: Thread[] = [];
    let frames: StackFrame[] | undefined;
    let isBeside = false;
    const begin = (text: string) => {
      const part: ErrorPart = { ...splitHeader(text.replace(/^Exception in thread "[^"]*" /, "")), frames: [] };
      parts.push(part);
      isBeside = false;
      frames = part.frames;
    };
    for (const line of lines) {
      const [, caused] = cause.exec(line) ?? [];
      const [, count] = more.exec(line) ?? [];
      const read = readFrame(line);
      if (caused !== undefined) begin(caused);
      else if (suppressed.test(line)) isBeside = true;
      else if (isBeside && (read || count !== undefined)) continue;
      else if (read) {
        if (!frames) begin("");
        frames?.push(read);
      } else if (count !== undefined && frames) {
        // Frames that a cause shares with the error it caused are listed only there.
        const outer = parts.at(-2)?.frames ?? [];
        frames.push(...outer.slice(Math.max(0, outer.length - Number(count))));
      } else if (thread.test(line) && !line.startsWith("Exception in") && parts.length > 0) {
        frames = [];
        threads.push({ name: thread.exec(line)?.[1] ?? "", frames });
      } else if (parts.length === 0 && line.trim() !== "" && splitHeader(strip(line)).type !== null) begin(strip(line));
    }
    return { parts: parts.map(withoutEmptyType), threads };
  },
  isOwn: ({ function: name, module }) => {
    const full = `${module ?? ""}.${name ?? ""}`;
    return (
      module !== null && !platform.test(`${module}.`) && !generated.test(full) && !generatedMethod.test(name ?? "")
    );
  },
  identify: ({ function: name, module }) => {
    if (module === null || name === null) return name;
    const { type, method } = withoutLambda(module, name);
    // R8 and ProGuard use names of one or two letters, which differ between builds.
    const last = type.slice(type.lastIndexOf(".") + 1);
    return last.length <= 2 && method.length <= 2 ? null : `${type}.${method}`;
  },
};

const strip = (line: string) =>
  line.trim().replace(/^(?:FATAL EXCEPTION: .*|Process: .*|\w\/AndroidRuntime\(?.*?\)?: )/, "");

const isPlaceOfJvm = (where: string) =>
  /^(?:Native Method|Unknown Source(?::\d+)?|<generated>|<Unknown>|NO_SOURCE_FILE|null|)$|\.(?:java|kts?|scala|groovy|clj|aj)(?::-?\d+)?$|^(?:SourceFile|PG|r8-map-id-\w+|proguard|Proguard|[\w$]+)(?::\d+)?$|^:\d+$/.test(
    where,
  );

function readFrame(line: string): StackFrame | undefined {
  const [, type, method, where] = frame.exec(line) ?? [];
  if (type === undefined || method === undefined || where === undefined) {
    const [, at] = lambdaFrame.exec(line) ?? [];
    return at === undefined ? undefined : makeFrame(line, {}, false);
  }
  const [, file, digits] = place.exec(where) ?? [];
  const known = file !== undefined && !/^(?:SourceFile|PG|Unknown(?: Source)?|r8-map-id-.*)$/.test(file) ? file : null;
  const at: Place = { function: method, module: type, file: known, line: numberOf(digits), column: null };
  // With some settings, Kotlin shows after a boundary where a coroutine was resumed from.
  const isAsync =
    /^_COROUTINE\.|^kotlinx?\.coroutines\..*BaseContinuationImpl$/.test(type) || type === "(Coroutine boundary)";
  return makeFrame(line, at, jvm.isOwn(at), isAsync);
}

const withoutEmptyType = (part: ErrorPart): ErrorPart =>
  part.message === "" && part.type === null ? { ...part, message: null } : part;

/**
 * The class and method that contain a lambda, an anonymous class or a coroutine: `Cart$load$2.invokeSuspend` is
 * `Cart.load`, `lambda$total$0` is `total`, `Cart$1.onClick` is `Cart.onClick`.
 */
function withoutLambda(module: string, name: string): { type: string; method: string } {
  const dot = module.lastIndexOf(".");
  const [first = "", ...inner] = module.slice(dot + 1).split("$");
  const kept: string[] = [];
  let enclosing: string | undefined;
  for (const [index, part] of inner.entries()) {
    if (/^\d*$/.test(part) || part === "Companion" || /^(?:lambda|sam|inlined|special)$/.test(part)) continue;
    // Kotlin's class for a file contains only functions.
    const isOfFile = index === 0 && first.endsWith("Kt");
    const isFunction = (isOfFile || /^[a-z]/.test(part)) && inner.slice(index + 1).some((next) => /^\d+$/.test(next));
    if (isFunction) enclosing = part;
    else kept.push(part.replaceAll(/\d+/g, "#"));
  }
  const [, ofLambda] = /^lambda\$([^$]+)(?:\$.*)?$/.exec(name) ?? [];
  const [, suspended] = /^([\w]+)\$(?:suspendImpl|lambda[-$]\d+|default|\d+).*$/.exec(name) ?? [];
  const isCalled = enclosing !== undefined && calledOnLambda.test(name);
  const method = ofLambda === "new" ? "<init>" : (ofLambda ?? (isCalled ? enclosing : (suspended ?? name)) ?? name);
  const type = [`${module.slice(0, dot + 1)}${first}`, ...kept].join("$");
  return { type, method: method.replace(/-[\w]{7,8}$/, "") };
}
