import Type from "typebox";
import { bundledFileLengthMax, sourceMapRequestBytesMax, sourceMapsMax } from "./limits.ts";
import { apiToken, type Media, operation } from "./operation.ts";
import { NullableText, NullableUuid, Text, Timestamp } from "./text.ts";

/** The part of an upload with the release of its source maps. */
export const releasePartName = "release";

/** The response of `POST /api/v1/apps/{app}/source-maps`. Later versions may add fields. */
export const UploadedSourceMaps = Type.Object(
  {
    sourceMaps: Type.Array(
      Type.Object({
        file: Type.String({
          description: "The bundled file that the source map belongs to, or the name of the mapping file.",
        }),
        debugId: NullableUuid("The debug id of the source map, or the UUID of the mapping file. Null if it has none."),
        release: Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "The release of the source map. Null if none was given.",
        }),
      }),
      { description: "The source maps, in the order of the request." },
    ),
  },
  { description: "The stored source maps." },
);
export type UploadedSourceMaps = Type.Static<typeof UploadedSourceMaps>;

/** Most source maps of a list. */
export const listedMapsMax = 100;

/** Source maps of an app. Later versions may add fields. */
export const SourceMapList = Type.Object(
  {
    sourceMaps: Type.Array(
      Type.Object({
        file: Type.String({
          description: "The bundled file that the source map belongs to, or the name of the mapping file.",
        }),
        debugId: NullableUuid("The debug id of the source map, or the UUID of the mapping file. Null if it has none."),
        release: NullableText("The release of the source map. Null if none was given."),
        byteLength: Type.Integer({ description: "The stored size in bytes." }),
        createdAt: Timestamp("When it was uploaded."),
        usedAt: Timestamp("When a report last needed it, to the day; or when it was uploaded."),
        unusableReason: NullableText(
          "Why Lodge no longer maps reports with it. Upload it again to fix this. Null if it is usable.",
        ),
      }),
      { description: "Unusable source maps first, then the newest." },
    ),
    totalCount: Type.Integer({ description: "The number of source maps of the app." }),
    unusableCount: Type.Integer({ description: "The number of unusable source maps." }),
  },
  { description: "Source maps of an app." },
);
export type SourceMapList = Type.Static<typeof SourceMapList>;

/** `GET /api/v1/apps/{app}/source-maps`: which maps an app has, and which of them cannot be used. */
export const listSourceMaps = operation({
  id: "listSourceMaps",
  method: "GET",
  path: "/api/v1/apps/{app}/source-maps",
  door: "api",
  credential: apiToken("sourcemaps:write"),
  params: Type.Object({ app: Text({ maxLength: 60, description: "The slug of the app." }) }),
  answers: { 200: SourceMapList },
  errors: ["app_not_found"],
  summary: "List source maps",
  description: `Returns at most ${listedMapsMax}. Source maps cannot be downloaded.`,
});

const form: Media = {
  media: "multipart/form-data",
  description:
    "An optional part named release, before all others, and the source maps, each in a part " +
    "named after its bundled file: the path below the served folder, like assets/index.js. " +
    "A part whose name ends in .txt is a mapping file of ProGuard or R8. One named <uuid>.txt, with any folders before it, has that UUID.",
  schema: Type.Object(
    {
      release: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "The release: the `app.release` of reports, or their `app.version` if they have no release.",
        }),
      ),
    },
    {
      additionalProperties: Type.String({
        contentMediaType: "application/json",
        description: "A version 3 source map, or a ProGuard or R8 mapping file.",
      }),
    },
  ),
};

/** `POST /api/v1/apps/{app}/source-maps`: stores source maps, which map minified stacks to their source. */
export const uploadSourceMaps = operation({
  id: "uploadSourceMaps",
  method: "POST",
  path: "/api/v1/apps/{app}/source-maps",
  door: "api",
  credential: apiToken("sourcemaps:write"),
  params: Type.Object({ app: Text({ maxLength: 60, description: "The slug of the app." }) }),
  body: form,
  answers: { 200: UploadedSourceMaps },
  errors: [
    "app_not_found",
    "invalid_input",
    "invalid_multipart",
    "invalid_source_map",
    "source_maps_too_large",
    "request_timeout",
  ],
  summary: "Upload source maps",
  description:
    `At most ${sourceMapsMax} source maps of 32 MiB each, and ${sourceMapRequestBytesMax / 1_000_000} MB in total; a file path ` +
    `has at most ${bundledFileLengthMax} characters. An upload replaces the stored source map with the same debug id or, if it has no debug id, the same ` +
    "file and release. The token's projects do not matter, because apps do not belong to projects. Lodge never returns source " +
    "maps. A mapping file must have a UUID or a release. Lodge reads function names from `sourcesContent`. It stores the source text only for the app's " +
    "own sources, and only if `sourceLines` is on for the app.",
});
