/** A vendor of videos: jobs that are ordered, queued, made and fetched, on each of the wires, with every fault on demand. */
import { readFileSync } from 'node:fs'
import type { GuardedNet } from '#platform/net'
import { guarded } from '../platform/net/sites.ts'
import { selfSigned } from './certificate.ts'
import {
  cut,
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  silence,
  stall,
  stream,
  type UpstreamCall,
} from './upstream.ts'
import { type Leg, type VideoWire, wires } from './video-wires.ts'

export type { Leg, VideoWire } from './video-wires.ts'

/** A video of `tests/fixtures/videos`, by what was ordered. */
export const videoFixture = (
  name: '480p-5s-silent' | '720p-4s-sound' | '720p-5s-silent' | '720p-upright-4s-sound' | '1080p-8s-sound',
): Buffer => readFileSync(new URL(`../fixtures/videos/${name}.mp4`, import.meta.url))

/** How far a job is; `refused` and `failed` are its end as vendors tell it, `gone` is a job that nobody knows any more. */
export type JobState =
  | 'queued'
  | 'processing'
  | 'completed'
  | 'refused'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'gone'

/** One order, whether or not its ticket arrived. */
export interface VideoJob {
  id: string
  /** What was ordered, as its wire writes it. */
  order: Record<string, unknown>
  callbackUrl: string | undefined
  /** How the looks at it are answered, one after the other; the last one stays. */
  states: JobState[]
  video: Buffer
  looks: number
  fetches: number
  isCancelled: boolean
  /** USD that the vendor says it cost, where its wire says so. */
  cost: number | undefined
}

/**
 * What goes wrong. Of a submission `lost`, `hang`, `malformed`, `nameless` and 500 are counted as orders, as they may be: nobody can tell.
 * A number is a status. Of the bytes: `wrong` is a page of HTML, `truncated` half of them, `stalled` half of them and then silence,
 * `loop` redirects to itself, `elsewhere` a redirect to another origin, where the video is.
 */
export type VideoFault =
  | 'lost'
  | 'hang'
  | 'malformed'
  | 'nameless'
  | 'refused'
  | 'wrong'
  | 'truncated'
  | 'stalled'
  | 'empty'
  | 'loop'
  | 'elsewhere'
  | number

type Fault = VideoFault | Script | Promise<Script>

interface Plan {
  id?: string
  states?: JobState[]
  video?: Buffer
  cost?: number
}

export interface VideoUpstream extends AsyncDisposable {
  /** The base address of its provider. */
  url: string
  /** Reaches the links it answers with. */
  net: GuardedNet
  /** Every request, in order. */
  calls: UpstreamCall[]
  /** Requests to the other origin, which are never to have the key. */
  linked: UpstreamCall[]
  /** Every order, in order. */
  jobs: VideoJob[]
  /** How jobs that are ordered from now on go, and what their id is; absent: one look each of `queued` and `processing`, then `completed`. */
  plan(next: Plan): void
  /** The next `times` requests of this leg come to this, or are answered so; one that is promised is awaited, and no order came of it. */
  fail(leg: Leg, fault: Fault, times?: number): void
  /** Faults that nobody came upon are none any more. */
  recover(): void
  /** The leg of a request; undefined for one of no wire of videos. */
  legOf(call: UpstreamCall): Leg | undefined
  /** Posts the vendor's webhook about a job to the address that the order named. */
  notify(job: VideoJob, state?: JobState): Promise<Response>
  /** What the vendor's webhook about a job says. */
  webhook(job: VideoJob, state?: JobState): Record<string, unknown>
  /** Resolves with the request at `position` (from 0) once it has arrived. */
  call(position: number): Promise<UpstreamCall>
  /** Resolves with the next request of this leg that arrives. */
  arrival(leg: Leg): Promise<UpstreamCall>
}

export async function fakeVideoUpstream(wire: VideoWire): Promise<VideoUpstream> {
  const upstream = await fakeUpstream()
  const elsewhere = await fakeUpstream(0, tls)
  const fake = new Fake(wire, upstream, elsewhere)
  upstream.reply((call) => fake.answer(call))
  elsewhere.reply((call) => fake.answerElsewhere(call))
  return fake
}

class Fake implements VideoUpstream {
  readonly jobs: VideoJob[] = []
  readonly net: GuardedNet
  readonly #wire: VideoWire
  readonly #upstream: FakeUpstream
  /** Another origin, of HTTPS, with the bytes of the jobs. */
  readonly #elsewhere: FakeUpstream
  readonly #faults: { leg: Leg; fault: Fault; left: number }[] = []
  readonly #arrivals: { leg: Leg; resolve: (call: UpstreamCall) => void }[] = []
  #plan: Plan = {}

  constructor(wire: VideoWire, upstream: FakeUpstream, elsewhere: FakeUpstream) {
    this.#wire = wire
    this.#upstream = upstream
    this.#elsewhere = elsewhere
    this.net = guarded({ ca: tls.cert, lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
  }

  get url(): string {
    return this.#upstream.url
  }
  get calls(): UpstreamCall[] {
    return this.#upstream.calls
  }
  get linked(): VideoUpstream['linked'] {
    return this.#elsewhere.calls
  }

  plan(next: Plan): void {
    this.#plan = next
  }

  fail(leg: Leg, fault: Fault, times = 1): void {
    this.#faults.push({ leg, fault, left: times })
  }

  recover(): void {
    this.#faults.length = 0
  }

  readonly legOf = (call: UpstreamCall): Leg | undefined => wires[this.#wire].legOf(call)?.leg

  call(position: number): Promise<UpstreamCall> {
    return this.#upstream.call(position)
  }

  arrival(leg: Leg): Promise<UpstreamCall> {
    return new Promise((resolve) => this.#arrivals.push({ leg, resolve }))
  }

  webhook(job: VideoJob, state: JobState = 'completed'): Record<string, unknown> {
    return wires[this.#wire].webhook(job, state)
  }

  async notify(job: VideoJob, state: JobState = 'completed'): Promise<Response> {
    if (job.callbackUrl === undefined) throw new Error('the order names no address for a webhook')
    return fetch(job.callbackUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(this.webhook(job, state)),
    })
  }

  answer(call: UpstreamCall): Script | Promise<Script> {
    const shape = wires[this.#wire]
    const asked = shape.legOf(call)
    if (!asked) return json(404, shape.unknown)
    const { leg, id } = asked
    this.#tellOf(leg, call)
    const fault = this.#takeFault(leg)
    const page = leg === 'list' ? shape.list : leg === 'card' ? shape.card : undefined
    if (page) return fault === undefined ? json(200, page) : this.#faultOf(fault, call)
    if (leg === 'submit') return this.#submit(call, fault)
    const job = this.jobs.find((one) => one.id === id)
    if (fault !== undefined) return this.#faultOf(fault, call, job)
    if (!job || job.states[0] === 'gone') return json(404, shape.unknown)
    if (leg === 'cancel') {
      job.isCancelled = true
      return json(shape.cancelled.status, shape.cancelled.body)
    }
    if (leg === 'content') return this.#content(job)
    if (leg === 'result') return json(...shape.result(job, this.#linkOf(job)))
    job.looks += 1
    const state = job.states.length > 1 ? job.states.shift()! : job.states[0]!
    return state === 'gone'
      ? json(404, shape.unknown)
      : json(200, shape.progress(job, state, { own: this.url, elsewhere: this.#linkOf(job) }))
  }

  /** The bytes, and their faults, where a wire has them behind a link; a redirect of its own origin led to the others. */
  answerElsewhere(call: UpstreamCall): Script | Promise<Script> {
    const job = this.jobs.find((one) => call.path === pathElsewhere(one))
    if (wires[this.#wire].hasLinks) this.#tellOf('content', call)
    const fault = wires[this.#wire].hasLinks ? this.#takeFault('content') : undefined
    if (fault !== undefined) return this.#faultOf(fault, call, job)
    return job ? this.#content(job) : json(404, '')
  }

  #linkOf(job: VideoJob): string {
    return `https://files.example.test:${new URL(this.#elsewhere.url).port}${pathElsewhere(job)}`
  }

  #tellOf(leg: Leg, call: UpstreamCall): void {
    for (const arrival of this.#arrivals) if (arrival.leg === leg) arrival.resolve(call)
  }

  #takeFault(leg: Leg): Fault | undefined {
    const at = this.#faults.findIndex((one) => one.leg === leg)
    const found = this.#faults[at]
    if (!found) return undefined
    found.left -= 1
    if (found.left <= 0) this.#faults.splice(at, 1)
    return found.fault
  }

  #submit(call: UpstreamCall, fault: Fault | undefined): Script | Promise<Script> {
    const isOrdered =
      fault === undefined ||
      fault === 500 ||
      !(typeof fault === 'number' || fault === 'refused' || fault instanceof Promise)
    const job = isOrdered ? this.#order(call) : undefined
    if (fault !== undefined) return this.#faultOf(fault, call, job)
    return json(...wires[this.#wire].ticket(job!, this.url))
  }

  #order(call: UpstreamCall): VideoJob {
    const ordered = wires[this.#wire].orderOf(call, this.jobs.length)
    const { callbackUrl, kind } = ordered
    const {
      id = ordered.id,
      states = ['queued', 'processing', 'completed'],
      video = videoFixture(kind),
      cost,
    } = this.#plan
    const job: VideoJob = {
      id,
      order: call.body ?? {},
      callbackUrl,
      states: [...states],
      video,
      looks: 0,
      fetches: 0,
      isCancelled: false,
      cost,
    }
    this.jobs.push(job)
    return job
  }

  #content(job: VideoJob): Script {
    job.fetches += 1
    return stream([job.video], { 'content-type': 'video/mp4', 'content-length': String(job.video.length) })
  }

  #faultOf(fault: Fault, call: UpstreamCall, job?: VideoJob): Script | Promise<Script> {
    const shape = wires[this.#wire]
    if (typeof fault === 'number') {
      const isBusy = fault === 429 || fault === 503
      return json(fault, shape.error(fault), isBusy ? { 'retry-after': '7' } : {})
    }
    if (typeof fault === 'object') return fault
    const video = job?.video ?? Buffer.alloc(0)
    const half = video.subarray(0, Math.floor(video.length / 2))
    const headers = { 'content-type': 'video/mp4', 'content-length': String(video.length) }
    switch (fault) {
      case 'lost':
        return reset
      case 'hang':
        return silence
      case 'malformed':
        return json(200, '{"id": "half of')
      case 'nameless':
        return json(200, {})
      case 'refused':
        return json(...shape.refusal)
      case 'wrong':
        return json(200, '<!doctype html><p>Sign in', { 'content-type': 'text/html' })
      case 'truncated':
        return stream([half, cut], headers)
      case 'stalled':
        return stream([half, stall], headers)
      case 'empty':
        return json(200, '', { 'content-type': 'video/mp4' })
      case 'loop':
        return json(302, '', { location: call.path })
      case 'elsewhere':
        return json(302, '', { location: job ? this.#linkOf(job) : 'https://nobody.example/' })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#upstream[Symbol.asyncDispose]()
    await this.#elsewhere[Symbol.asyncDispose]()
  }
}

const pathElsewhere = ({ id }: VideoJob): string => `/${encodeURIComponent(id)}.mp4?signature=of-the-vendor`

const tls = selfSigned('files.example.test')
