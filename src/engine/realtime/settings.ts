/** `voice` of the configuration file: how many calls, how long, and what answers in them. */
import { Type } from 'typebox'
import { fileSection, integerIn } from '#platform/config'
import { type PipelineSettings, pipelineSchema, readPipeline } from './engines/pipeline/settings.ts'

declare module '#platform/config' {
  interface Settings {
    voice: VoiceConfig
  }
}

export interface VoiceConfig {
  /** Calls that one process holds at a time. */
  capacity: number
  /** Calls that one key has at a time. */
  callsPerKey: number
  /** A call in which nobody speaks for so long ends. */
  idleSeconds: number
  /** The longest call. */
  maxSeconds: number
  /** Days for which calls that have ended are listed, with the words and the sound of those that keep them. */
  keepDays: number
  /** Of the engine `pipeline`. */
  pipeline: PipelineSettings
}

export const voice = fileSection({
  name: 'voice',
  schema: Type.Object(
    {
      capacity: integerIn(0, 1_000, { default: 8, description: 'Calls that one process holds at a time.' }),
      calls_per_key: integerIn(1, 1_000, { default: 2, description: 'Calls that one key has at a time.' }),
      idle_seconds: integerIn(10, 600, {
        default: 60,
        description: 'A call in which nobody speaks for so long ends.',
      }),
      max_seconds: integerIn(10, 3_600, { default: 1_800, description: 'The longest call, in seconds.' }),
      keep_days: integerIn(1, 36_500, {
        default: 30,
        description:
          'Days for which calls that have ended are listed, and the words and the sound that are kept of them. Receipts stay.',
      }),
      pipeline: pipelineSchema,
    },
    { default: {} },
  ),
  read: ({ capacity, calls_per_key, idle_seconds, max_seconds, keep_days, pipeline }) => ({
    capacity,
    callsPerKey: calls_per_key,
    idleSeconds: idle_seconds,
    maxSeconds: max_seconds,
    keepDays: keep_days,
    pipeline: readPipeline(pipeline),
  }),
})
