/** `voice` of the configuration file: the number and the length of calls, and the models that answer in them. */
import { isIPv6 } from 'node:net'
import { Type } from 'typebox'
import { fileSection, integerIn, refuseVariable, variableSection } from '#platform/config'
import { type PipelineSettings, pipelineSchema, readPipeline } from './engines/pipeline/settings.ts'

declare module '#platform/config' {
  interface Settings {
    voice: VoiceConfig
    voiceHost: VoiceHostConfig
  }
}

/** The address at which other processes reach this one for the calls that it holds. */
export interface VoiceHostConfig {
  /** A name or an address of this machine. */
  address: string
  /** 0 lets the system choose. */
  port: number
}

export interface VoiceConfig {
  /** The most calls that one process holds at a time. */
  capacity: number
  /** The most calls of one key at a time. */
  callsPerKey: number
  /** A call in which nobody speaks for this time ends. */
  idleSeconds: number
  /** The length of the longest call. */
  maxSeconds: number
  /** How long the stop of a process that only holds calls lets them go on. */
  drainSeconds: number
  /** The days for which ended calls are listed, with the words and the sound of those that keep them. */
  keepDays: number
  /** The settings of the engine `pipeline`. */
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
      drain_seconds: integerIn(0, 3_600, {
        default: 300,
        description: 'How long the stop of a process of the role voice lets its calls go on, in seconds.',
      }),
      keep_days: integerIn(1, 36_500, {
        default: 30,
        description:
          'Days for which calls that have ended are listed, and the words and the sound that are kept of them. Receipts stay.',
      }),
      pipeline: pipelineSchema,
    },
    { default: {} },
  ),
  read: ({ capacity, calls_per_key, idle_seconds, max_seconds, drain_seconds, keep_days, pipeline }) => ({
    capacity,
    callsPerKey: calls_per_key,
    idleSeconds: idle_seconds,
    maxSeconds: max_seconds,
    drainSeconds: drain_seconds,
    keepDays: keep_days,
    pipeline: readPipeline(pipeline),
  }),
})

export const voiceHost = variableSection({
  name: 'voiceHost',
  variables: [
    {
      name: 'KHERAD_VOICE_ADDRESS',
      default: '127.0.0.1',
      about: {
        en: 'The name or address of this machine at which other processes reach the calls that this one holds; it listens there.',
        fa: 'نام یا نشانی همین ماشین که پردازه‌های دیگر از آن به تماس‌های این پردازه می‌رسند؛ همان‌جا گوش می‌دهد.',
      },
    },
    {
      name: 'KHERAD_VOICE_PORT',
      about: {
        en: 'The port there, and those behind it for further workers; without it the system chooses one.',
        fa: 'درگاه آن‌جا، و درگاه‌های پس از آن برای پردازه‌های دیگر همین سرور؛ در نبودش سیستم درگاهی برمی‌گزیند.',
      },
    },
  ],
  read: (variable) => ({
    address: readHost(variable('KHERAD_VOICE_ADDRESS')),
    port: readPort(variable('KHERAD_VOICE_PORT')),
  }),
})

/** Reads the address. `0.0.0.0` is refused, since other processes are told the address. */
function readHost(typed: string): string {
  const isName = /^[0-9A-Za-z](?:[0-9A-Za-z.-]{0,252})$/.test(typed) && typed !== '0.0.0.0'
  if (isName || (isIPv6(typed) && typed !== '::')) return typed
  return refuseVariable('KHERAD_VOICE_ADDRESS', typed, {
    en: 'a name or an address of this machine that others reach, such as 10.0.0.8',
    fa: 'نام یا نشانی همین ماشین که دیگران به آن می‌رسند، مانند 10.0.0.8',
  })
}

function readPort(typed: string | undefined): number {
  if (typed === undefined) return 0
  const port = /^\d{1,5}$/.test(typed) ? Number(typed) : Number.NaN
  if (port <= 65_535) return port
  return refuseVariable('KHERAD_VOICE_PORT', typed, {
    en: 'a port number within 0 … 65535',
    fa: 'شماره‌ی درگاهی در بازه‌ی ۰ … ۶۵۵۳۵',
  })
}
