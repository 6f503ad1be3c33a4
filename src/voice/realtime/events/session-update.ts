/** Reads `session.update` and the session of a new call: named fields replace the earlier ones, all others stay. */
import { mediaTypeOf } from '#core/media'
import { namedLanguage } from '#media/transcription'
import type { SessionSettings, SoundType, TurnDetection } from '../parts.ts'
import { reasons } from '../phrases.ts'
import {
  type EventFields,
  isFields,
  readFields,
  readFlag,
  readInteger,
  readList,
  readNumber,
  readOneOf,
  readText,
  refuse,
} from './fields.ts'
import { type HostedToolCheck, readToolChoice, readTools, requireTool } from './tools.ts'

const soundTypes = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const

/** The settings of a call, including those that only its session and its transport need. */
export interface CallSettings extends SessionSettings {
  readonly type: 'realtime' | 'transcription'
  readonly model: string
  /** The format of sound in events; over WebRTC sound is Opus on the track. */
  readonly inputSound: SoundType
  readonly outputSound: SoundType
}

/** What an update depends on beside its own fields. */
export interface UpdateRules {
  /** The id of a transcription model that the caller may use; undefined for any other name. */
  transcriptionModel(name: string): string | undefined
  /** Whether a tool that runs on this server is available; absent: none is. */
  hasHosted?: HostedToolCheck | undefined
  /** Whether the voice can no longer change, because it was heard. */
  isVoiceFixed: boolean
}

export interface SessionUpdateResult {
  settings: CallSettings
  /** The paths of known fields without effect here, such as `tracing`. */
  ignored: string[]
}

export const maxInstructionsLength = 12_000

/** The turn detection that OpenAI's sessions begin with. */
export const semanticDetection: TurnDetection = {
  type: 'semantic_vad',
  silenceMs: undefined,
  prefixMs: 300,
  threshold: 0.5,
  createResponse: true,
  interruptResponse: true,
  idleMs: undefined,
}

/** The turn detection of transcription sessions: nobody waits for an answer, and early words cost. */
export const silenceDetection: TurnDetection = {
  ...semanticDetection,
  type: 'server_vad',
  createResponse: false,
  interruptResponse: false,
}

/** The settings of a session without any fields. */
export const freshSettings = (type: CallSettings['type'], model: string): CallSettings => ({
  type,
  model,
  inputSound: 'audio/pcm',
  outputSound: 'audio/pcm',
  instructions: '',
  voice: undefined,
  modalities: ['audio'],
  transcription: {},
  turnDetection: type === 'transcription' ? silenceDetection : semanticDetection,
  speed: 1,
  tools: [],
  hosted: [],
  toolChoice: 'auto',
  maxOutputTokens: 'inf',
})

type SettingReader = (
  value: unknown,
  param: string,
  previous: CallSettings,
  context: UpdateContext,
) => Partial<CallSettings>

interface UpdateContext extends UpdateRules {
  hasHosted: HostedToolCheck
  ignored: string[]
}

/**
 * The settings after this update; `previous` is not changed. Null restores a field's first value. Unknown fields and unknown names of models are ignored
 * and listed, since clients send those of their vendor.
 * @throws INVALID_REQUEST with `param` below `session`; then no field of the update takes effect
 */
export function updateSession(
  previous: CallSettings,
  update: unknown,
  rules: UpdateRules,
): SessionUpdateResult {
  const reading: UpdateContext = { ...rules, hasHosted: rules.hasHosted ?? (() => false), ignored: [] }
  const readers = previous.type === 'transcription' ? transcriptionFields : sessionFields
  const settings = readMembers(readFields(update, 'session'), 'session', readers, previous, reading)
  requireTool(settings.toolChoice, settings.tools, 'session.tool_choice')
  return { settings, ignored: reading.ignored.slice(0, maxIgnored) }
}

const maxIgnored = 50
const maxPathLength = 100

/** Reads each member by its reader; a member without one is ignored. */
function readMembers(
  fields: EventFields,
  param: string,
  readers: Record<string, SettingReader>,
  previous: CallSettings,
  context: UpdateContext,
): CallSettings {
  let settings = previous
  for (const [name, value] of Object.entries(fields)) {
    const path = `${param}.${name}`.slice(0, maxPathLength)
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read) settings = { ...settings, ...read(value, path, settings, context) }
    else if (value !== null) context.ignored.push(path)
  }
  return settings
}

/** The reader of a member that is an object with readers of its own. */
const group =
  (readers: Record<string, SettingReader>): SettingReader =>
  (value, param, previous, context) =>
    value === null ? {} : readMembers(readFields(value, param), param, readers, previous, context)

const ignore: SettingReader = (_value, param, _was, { ignored }) => {
  ignored.push(param)
  return {}
}

const readType: SettingReader = (value, param, previous) => {
  if (value !== null && readOneOf(value, param, ['realtime', 'transcription']) !== previous.type)
    refuse(param, reasons.typeChanged)
  return {}
}

const readInput = group({
  format: (value, param) => ({ inputSound: readFormat(value, param) }),
  transcription: (value, param, previous, context) => ({
    transcription: value === null ? {} : readTranscription(value, param, previous.transcription, context),
  }),
  turn_detection: (value, param, previous, context) => ({
    turnDetection: value === null ? null : readTurnDetection(value, param, previous.turnDetection, context),
  }),
})

/** The fields of a transcription session, which answers nothing. */
const transcriptionFields: Record<string, SettingReader> = {
  type: readType,
  audio: group({ input: readInput }),
}

const sessionFields: Record<string, SettingReader> = {
  type: readType,
  model: (value, param, previous, context) =>
    value === null || value === previous.model ? {} : ignore(value, param, previous, context),
  instructions: (value, param) => ({
    instructions: value === null ? '' : readText(value, param, 0, maxInstructionsLength),
  }),
  output_modalities: (value, param) => ({
    modalities: value === null ? ['audio'] : readModalities(value, param),
  }),
  tools: (value, param, _was, context) =>
    value === null ? { tools: [], hosted: [] } : readTools(value, param, context),
  tool_choice: (value, param, _was, { ignored }) => ({
    toolChoice: value === null ? 'auto' : readToolChoice(value, param, ignored),
  }),
  max_output_tokens: (value, param) => ({
    maxOutputTokens: value === null ? 'inf' : readTokens(value, param),
  }),
  audio: group({
    input: readInput,
    output: group({
      format: (value, param) => ({ outputSound: readFormat(value, param) }),
      voice: readVoice,
      speed: (value, param) => ({ speed: value === null ? 1 : readNumber(value, param, 0.25, 1.5) }),
    }),
  }),
}

/** Reads the modalities. Text beside sound adds nothing, since sound has its transcript anyway. */
export function readModalities(value: unknown, param: string): ('text' | 'audio')[] {
  const named = readList(value, param, 2).map((one, index) =>
    readOneOf(one, `${param}.${index}`, ['text', 'audio']),
  )
  if (named.length === 0) refuse(param, reasons.oneOf(['["audio"]', '["text"]']))
  return named.includes('audio') ? ['audio'] : ['text']
}

export const readTokens = (value: unknown, param: string): number | 'inf' =>
  value === 'inf' ? 'inf' : readInteger(value, param, 1, 4_096)

function readFormat(value: unknown, param: string): SoundType {
  if (value === null) return 'audio/pcm'
  const { type, rate } = readFields(value, param)
  const named = typeof type === 'string' ? mediaTypeOf(type) : type
  const sound = readOneOf(named, `${param}.type`, soundTypes)
  if (rate != null && rate !== rateOf(sound)) refuse(`${param}.rate`, reasons.rate)
  return sound
}

/** The samples per second of sound in events. */
export const rateOf = (sound: SoundType): number => (sound === 'audio/pcm' ? 24_000 : 8_000)

function readTranscription(
  value: unknown,
  param: string,
  previous: SessionSettings['transcription'],
  { ignored, transcriptionModel }: UpdateContext,
): SessionSettings['transcription'] {
  const fields = readFields(value, param)
  const next = { ...previous }
  if (fields['model'] != null) {
    const model = transcriptionModel(readText(fields['model'], `${param}.model`, 1, 200))
    if (model === undefined) ignored.push(`${param}.model`)
    else next.model = model
  }
  if (fields['model'] === null) next.model = undefined
  if (fields['language'] !== undefined) next.language = readLanguage(fields['language'], `${param}.language`)
  if (fields['prompt'] !== undefined)
    next.prompt =
      fields['prompt'] === null ? undefined : readText(fields['prompt'], `${param}.prompt`, 0, 2_000)
  listOthers(fields, ['model', 'language', 'prompt'], param, ignored)
  return next
}

const readLanguage = (value: unknown, param: string): string | undefined =>
  value === null || value === '' ? undefined : namedLanguage(readText(value, param, 2, 20))

function readTurnDetection(
  value: unknown,
  param: string,
  previous: TurnDetection | null,
  { ignored }: UpdateContext,
): TurnDetection {
  const fields = readFields(value, param)
  const type = readOneOf(fields['type'] ?? previous?.type ?? 'server_vad', `${param}.type`, [
    'semantic_vad',
    'server_vad',
  ])
  const first = { ...semanticDetection, type }
  const before = previous?.type === type ? previous : first
  /** Reads a member. Absent: its former value; null: its first value. */
  const member = <Name extends keyof TurnDetection>(
    name: string,
    key: Name,
    read: (value: unknown, param: string) => TurnDetection[Name],
  ): TurnDetection[Name] => {
    const said = fields[name]
    if (said === undefined) return before[key]
    return said === null ? first[key] : read(said, `${param}.${name}`)
  }
  listOthers(fields, detectionFields, param, ignored)
  return {
    type,
    silenceMs: member('silence_duration_ms', 'silenceMs', (one, at) => readInteger(one, at, 100, 5_000)),
    prefixMs: member('prefix_padding_ms', 'prefixMs', (one, at) => readInteger(one, at, 0, 1_000)),
    threshold: member('threshold', 'threshold', (one, at) => readNumber(one, at, 0, 1)),
    createResponse: member('create_response', 'createResponse', readFlag),
    interruptResponse: member('interrupt_response', 'interruptResponse', readFlag),
    idleMs: member('idle_timeout_ms', 'idleMs', (one, at) => readInteger(one, at, 5_000, 60_000)),
  }
}

const detectionFields = [
  'type',
  'silence_duration_ms',
  'prefix_padding_ms',
  'threshold',
  'create_response',
  'interrupt_response',
  'idle_timeout_ms',
]

function listOthers(fields: EventFields, known: readonly string[], param: string, ignored: string[]): void {
  for (const [name, value] of Object.entries(fields))
    if (value !== null && !known.includes(name)) ignored.push(`${param}.${name}`.slice(0, maxPathLength))
}

/** Reads a name, or an object with the id of a voice of the caller's own. */
function readVoice(
  value: unknown,
  param: string,
  previous: CallSettings,
  context: UpdateContext,
): Partial<CallSettings> {
  const named = isFields(value) ? value['id'] : value
  const voice = named === null ? undefined : readText(named, param, 1, 80)
  if (voice === previous.voice) return {}
  return context.isVoiceFixed ? ignore(value, param, previous, context) : { voice }
}
