/** `kherad video`: orders a video from a running server, waits for it, and saves it. */
import path from 'node:path'
import { credits } from '../account/money.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { latin } from '../numerals.ts'
import { connection } from '../server/phrases.ts'
import { type Server, serverOf } from '../server.ts'
import { referencesIn, textOf, wholeNumber } from './studio/inputs.ts'
import { type Order, orderOf } from './studio/order.ts'
import { studioPhrases } from './studio/phrases.ts'
import { type OutputTarget, prepareTarget, saveStream } from './studio/save.ts'
import { awaitVideo, orderVideo, type VideoJob } from './video/job.ts'
import { videoOptions, videoPhrases as words } from './video/phrases.ts'

/** Options that describe the video; none of them is of use for a video that is ordered already. */
const settings = ['model', 'duration', 'resolution', 'aspect', 'frame', 'reference', 'idempotency-key']

export const videoCommands: Command[] = [
  {
    name: 'video',
    about: words.video,
    takes: [],
    mayTake: ['PROMPT'],
    options: [...settings, 'job', 'out', ...connection, 'timeout'],
    flags: ['audio', 'no-audio', 'force'],
    repeatable: ['frame', 'reference'],
    needs: [],
    help: videoOptions,
    run: makeVideo,
  },
]

const maxPromptCharacters = 8_000
const maxSeconds = 30
const maxFrames = 2
/** No video takes longer than 45 minutes. */
const defaultTimeoutSeconds = 3_600
const maxTimeoutSeconds = 86_400

async function makeVideo(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { options } = given
  const [typed] = given.words
  const { job, timeout } = options
  if ((typed === undefined) === (job === undefined)) refuseUsage(words.promptOrJob())
  const timeoutSeconds =
    timeout === undefined ? defaultTimeoutSeconds : wholeNumber('--timeout', timeout, 1, maxTimeoutSeconds)
  const server = await serverOf(session, given)
  if (job !== undefined) {
    requireJob(job, given)
    const place = await placeFor(given, `kherad-video-${job.slice(0, 8)}`)
    return awaitAndSave(session, server, { id: job, place, timeoutSeconds })
  }
  const prompt = await textOf(session, 'PROMPT', typed!, maxPromptCharacters)
  const body = { prompt, ...(await settingsOf(given)) }
  const place = await placeFor(given, prompt)
  const order = orderOf('/v1/studio/video', body, given)
  const id = await orderVideo(session, server, order)
  return awaitAndSave(session, server, { id, place, timeoutSeconds, order })
}

function requireJob(job: string, { options, lists, flags }: ParsedArguments): void {
  const unused = settings.find((name) => options[name] !== undefined || (lists[name] ?? []).length > 0)
  const flag = ['audio', 'no-audio'].find((name) => flags.includes(name))
  if (unused ?? flag) refuseUsage(words.jobAlone(`--${unused ?? flag}`))
  if (!/^[0-9a-fA-F-]{36}$/.test(job)) refuseUsage(words.badJob(job))
}

async function settingsOf({ options, flags, lists }: ParsedArguments): Promise<object> {
  const { model, duration, resolution, aspect } = options
  const [withSound, without] = [flags.includes('audio'), flags.includes('no-audio')]
  if (withSound && without) refuseUsage(words.audioTwice())
  const { frame: frames = [], reference: guides = [] } = lists
  if (frames.length > 0 && guides.length > 0) refuseUsage(words.framesAlone())
  if (frames.length > maxFrames) refuseUsage(words.tooManyFrames())
  const references = await referencesIn([...frames, ...guides])
  return {
    model,
    duration: duration === undefined ? undefined : wholeNumber('--duration', duration, 1, maxSeconds),
    resolution: resolution && latin(resolution),
    aspectRatio: aspect && latin(aspect),
    generateAudio: withSound || without ? withSound : undefined,
    ...(references.length > 0 && { referenceMode: frames.length > 0 ? 'frames' : 'guide', references }),
  }
}

const placeFor = ({ options, flags }: ParsedArguments, name: string): Promise<OutputTarget> =>
  prepareTarget(options['out'], {
    words: name,
    kind: 'video',
    count: 1,
    format: undefined,
    force: flags.includes('force'),
  })

async function awaitAndSave(
  session: Session,
  server: Server,
  {
    id,
    place,
    timeoutSeconds,
    order,
  }: { id: string; place: OutputTarget; timeoutSeconds: number; order?: Order },
): Promise<CommandResult> {
  const save = (pieces: AsyncIterable<Uint8Array>) => saveStream(place, 'video/mp4', pieces)
  const { job, saved } = await awaitVideo(session, server, { id, timeoutSeconds, save })
  const microcredits = job.usage && BigInt(job.usage.microcredits)
  session.notify(doneOf(job, microcredits)[session.language])
  const json = {
    saved: [path.resolve(saved)],
    model: job.model,
    ...(microcredits !== undefined && { microcredits: String(microcredits) }),
    request_id: job.request_id,
    ...(order && { idempotency_key: order.key }),
    job: id,
    files: job.file_id === undefined ? [] : [job.file_id],
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

const doneOf = ({ model, seconds, size }: VideoJob, microcredits: bigint | undefined) =>
  studioPhrases.done(
    model,
    words.made(Number(seconds), size),
    microcredits === undefined ? undefined : credits(microcredits),
  )
