import Type from "typebox";
import { bundledFileLengthMax, sourceMapRequestBytesMax, sourceMapsMax } from "./limits.ts";
import { apiToken, type Media, operation } from "./operation.ts";
import { NullableUuid, Text } from "./text.ts";

/** The part of an upload that names the release of its maps. */
export const releasePartName = "release";

/** Answer of `POST /api/v1/apps/{app}/source-maps`. Later versions may add fields. */
export const UploadedSourceMaps = Type.Object(
  {
    sourceMaps: Type.Array(
      Type.Object({
        file: Type.String({ description: "The bundled file that it is of." }),
        debugId: NullableUuid("By which it is found; null where it has none."),
        release: Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "The release that it is of; null where none was named.",
        }),
      }),
      { description: "In the order in which they were sent." },
    ),
  },
  { description: "The source maps that were kept." },
);
export type UploadedSourceMaps = Type.Static<typeof UploadedSourceMaps>;

const form: Media = {
  media: "multipart/form-data",
  description:
    "A part named release, where the maps are of one, before all others; and the source maps, each in a part that is " +
    "named after its bundled file: its path below the folder that is served, like assets/index.js.",
  schema: Type.Object(
    {
      release: Type.Optional(
        Type.String({ maxLength: 200, description: "The `app.release`, or else `app.version`, that reports name." }),
      ),
    },
    {
      additionalProperties: Type.String({
        contentMediaType: "application/json",
        description: "A source map of version 3.",
      }),
    },
  ),
};

/** `POST /api/v1/apps/{app}/source-maps`: keeps what tells of minified stacks where they come from. */
export const uploadSourceMaps = operation({
  id: "uploadSourceMaps",
  method: "POST",
  path: "/api/v1/apps/{app}/source-maps",
  door: "api",
  credential: apiToken("sourcemaps:write"),
  params: Type.Object({ app: Text({ maxLength: 60, description: "The app, by its slug." }) }),
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
    `At most ${sourceMapsMax} maps of 32 MiB each, and ${sourceMapRequestBytesMax / 1_000_000} MB in all; a file's path ` +
    `has at most ${bundledFileLengthMax} characters. A map with the same debug id, or without one of the same file and ` +
    "release, takes the place of the one before. The token's projects do not matter: apps belong to none. Nothing hands a " +
    "map out again, and `sourcesContent` is not kept.",
});
