import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJSONRPCRequest, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { userAgent } from "./client.ts";
import { type Environment, readAddress, requireToken } from "./credentials.ts";
import { exitCodes } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/**
 * An MCP server over stdio, until stdin ends. Forwards each message to `POST /mcp`, where Lodge implements the tools.
 * Turns errors of that request into MCP errors, so that the agent sees them.
 */
export async function serveMcp(env: Environment, terminal: Terminal): Promise<number> {
  const secret = requireToken(env, terminal);
  const address = readAddress(env);
  const agent: Transport = new StdioServerTransport();
  const service = new StreamableHTTPClientTransport(new URL(`${address}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${secret}`, "user-agent": userAgent }, redirect: "manual" },
  }) as Transport;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const waiting = new Set<Promise<void>>();
  agent.onmessage = (message) => {
    const sent = service.send(message).catch((error: Error) => {
      terminal.explain(error.message);
      return isJSONRPCRequest(message) ? agent.send(failureOf(message, error)) : undefined;
    });
    waiting.add(sent);
    void sent.finally(() => waiting.delete(sent));
  };
  service.onmessage = (message) => void agent.send(message);
  process.stdin.once("end", end).once("close", end);
  await service.start();
  await agent.start();
  await ended;
  await Promise.all(waiting);
  await agent.close();
  await service.close();
  return exitCodes.done;
}

/** A failed tool call is a result with `isError`; any other failed request is a JSON-RPC error. */
function failureOf({ id, method }: { id: string | number; method: string }, { message }: Error): JSONRPCMessage {
  const text = /\{.*\}/s.exec(message)?.[0] ?? message;
  return method === "tools/call"
    ? { jsonrpc: "2.0", id, result: { isError: true, content: [{ type: "text", text }] } }
    : { jsonrpc: "2.0", id, error: { code: -32_000, message: text } };
}
