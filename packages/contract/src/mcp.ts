import { apiToken, operation } from "./operation.ts";

/** `POST /mcp` (contract section 8): the Model Context Protocol over streamable HTTP, without sessions. */
export const callMcp = operation({
  id: "callMcp",
  method: "POST",
  path: "/mcp",
  door: "api",
  credential: apiToken(null),
  body: { media: "application/json", description: "A JSON-RPC message of the Model Context Protocol." },
  answers: {
    200: { media: "application/json", description: "The JSON-RPC response." },
    202: { media: "application/json", description: "The JSON-RPC notification was accepted. No body." },
  },
  errors: ["invalid_input"],
  summary: "Call the MCP server",
  description:
    "Gives agents tools to find, file, change and comment on tickets, and to read and resolve problems. The token's permissions decide which tools are available.",
});
