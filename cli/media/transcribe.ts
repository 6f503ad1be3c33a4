/** `kherad transcribe`: has a running server transcribe a recording, and saves subtitles or text beside it. */
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { credits } from '../account/money.ts'
import {
  type Command,
  CommandRefused,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { connection } from '../server/phrases.ts'
import { serverOf } from '../server.ts'
import { wholeNumber } from './studio/inputs.ts'
import { isWorthRepeating, showProgress, withRepeatHint } from './studio/order.ts'
import { studioPhrases } from './studio/phrases.ts'
import { type OutputTarget, prepareTarget, saveAll } from './studio/save.ts'
import { transcribeOptions, transcribePhrases as words } from './transcribe/phrases.ts'
import {
  type Format,
  formats,
  type Recording,
  sendRecording,
  sizeOf,
  type TranscriptReply,
} from './transcribe/send.ts'

export const transcribeCommands: Command[] = [
  {
    name: 'transcribe',
    about: words.transcribe,
    takes: ['FILE'],
    options: [
      ...['model', 'language', 'format', 'prompt', 'keyword', 'out'],
      ...connection,
      ...['idempotency-key', 'timeout'],
    ],
    flags: ['speakers', 'force'],
    repeatable: ['keyword'],
    needs: [],
    help: transcribeOptions,
    run: transcribe,
  },
]

const defaultTimeoutSeconds = 3_600
const maxTimeoutSeconds = 86_400
const mediaTypes: Record<Format, string> = {
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  txt: 'text/plain',
  json: 'application/json',
}

async function transcribe(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { options } = given
  const server = await serverOf(session, given)
  const { 'idempotency-key': key = randomUUID(), timeout } = options
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) refuseUsage(studioPhrases.badIdempotencyKey())
  const seconds =
    timeout === undefined ? defaultTimeoutSeconds : wholeNumber('--timeout', timeout, 1, maxTimeoutSeconds)
  const format = formatOf(given)
  const place = await placeFor(given, format)
  const file = given.words[0]!
  const bytes = await sizeOf(file)
  const recording: Recording = { place: file, bytes, format, settings: settingsOf(given), key }
  const { language } = session
  const stopped = new CommandRefused('INTERRUPTED', studioPhrases.interrupted(), 1)
  session.whenStopped(withRepeatHint(stopped, { key }, language))
  const until = AbortSignal.timeout(seconds * 1_000)
  try {
    const transcribed = await withProgress(session, () => sendRecording(session, server, recording, until))
    const [saved] = await saveAll(place, [{ bytes: transcribed.bytes, mediaType: mediaTypes[format] }], 1)
    return outcomeOf(session, recording, transcribed, saved!)
  } catch (error) {
    if (until.aborted && !session.stopping.aborted)
      throw withRepeatHint(
        new CommandRefused('TIMED_OUT', studioPhrases.timedOut(seconds), 1),
        { key },
        language,
      )
    if (error instanceof CommandRefused && isWorthRepeating(error))
      throw withRepeatHint(error, { key }, language)
    throw error
  }
}

async function withProgress<Answer>(session: Session, send: () => Promise<Answer>): Promise<Answer> {
  using _progress = showProgress(session)
  return await send()
}

/** The format of `--format`, else of the ending of `--out`, else subtitles. */
function formatOf({ options: { format, out } }: ParsedArguments): Format {
  const known = (name: string | undefined) => formats.find((one) => one === name)
  if (format !== undefined) return known(format.toLowerCase()) ?? refuseUsage(words.badFormat(format))
  return (
    known(
      path
        .extname(out ?? '')
        .slice(1)
        .toLowerCase(),
    ) ?? 'srt'
  )
}

/** The place of the result: beside the recording under its name, unless `--out` says another one. */
function placeFor({ words: [file], options, flags }: ParsedArguments, format: Format): Promise<OutputTarget> {
  const { dir, name } = path.parse(file!)
  const beside = path.join(dir || '.', `${name}.${format}`)
  return prepareTarget(options['out'] ?? beside, {
    ...{ words: name, kind: 'transcript', count: 1 },
    ...{ format, force: flags.includes('force') },
  })
}

function settingsOf({ options, flags, lists }: ParsedArguments): Recording['settings'] {
  const { model, language, prompt } = options
  const keywords = lists['keyword'] ?? []
  return {
    ...(model !== undefined && { model }),
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(keywords.length > 0 && { keywords }),
    ...(flags.includes('speakers') && { diarize: true }),
  }
}

function outcomeOf(
  { notify, language }: Session,
  { format, key }: Recording,
  { microcredits, requestId, files, isRepeated }: TranscriptReply,
  saved: string,
): CommandResult {
  const cost = microcredits === undefined ? undefined : credits(microcredits)
  if (isRepeated) notify(studioPhrases.repeated()[language])
  notify(words.done(format, cost)[language])
  const json = {
    saved: [path.resolve(saved)],
    ...(microcredits !== undefined && { microcredits: String(microcredits) }),
    request_id: requestId,
    idempotency_key: key,
    repeated: isRepeated,
    files,
  }
  const text = `${saved}\n`
  return {
    json,
    text,
    async *pieces(asJson) {
      yield asJson ? `${JSON.stringify(json)}\n` : text
    },
  }
}
