import Type from "typebox";
import { spikeEventsMax, spikeMinutesMax } from "./limits.ts";

/** A limit on how often a problem may occur. */
export const Spike = Type.Object(
  {
    events: Type.Integer({ minimum: 1, maximum: spikeEventsMax, description: "The number of events." }),
    minutes: Type.Integer({ minimum: 1, maximum: spikeMinutesMax, description: "The number of minutes." }),
  },
  { additionalProperties: false, description: "A limit on how often a problem may occur." },
);
export type Spike = Type.Static<typeof Spike>;
