import Type from "typebox";
import { spikeEventsMax, spikeMinutesMax } from "./limits.ts";

/** When a problem has a spike. */
export const Spike = Type.Object(
  {
    events: Type.Integer({ minimum: 1, maximum: spikeEventsMax, description: "The number of events." }),
    minutes: Type.Integer({ minimum: 1, maximum: spikeMinutesMax, description: "The number of minutes." }),
  },
  {
    additionalProperties: false,
    description: "A problem has a spike when it occurs more than `events` times within `minutes`.",
  },
);
export type Spike = Type.Static<typeof Spike>;
