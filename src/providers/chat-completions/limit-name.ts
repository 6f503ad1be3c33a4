/** What an upstream calls the output limit: `max_tokens` at most servers, `max_completion_tokens` where a model of OpenAI thinks. */
import type { LimitName, PartSink, TextCall, TextRun, UpstreamError } from '#core/spec'
import type { AnswerPart } from '#core/turn'
import { type ClientCodec, generate, sameWireBody, type UpstreamClient } from '#providers/kit'
import { isStrictHost } from './vendors.ts'

/** Models that think are known by these names wherever they are offered: o3-mini, gpt-5.4, openai/gpt-6-luna. They refuse `max_tokens`. */
const thinkingModel = /(?:^|[/.:])(?:o[1-9]|gpt-(?:[5-9]|1\d))(?![a-z0-9])/i

/** The name where nothing says it: by the vendor, else by the model, else that of the caller's body. */
function guessedName(host: string, { turn, upstreamModel }: TextCall): LimitName {
  if (host === 'api.openai.com') return 'max_completion_tokens'
  if (isStrictHost(host)) return 'max_tokens'
  if (thinkingModel.test(upstreamModel)) return 'max_completion_tokens'
  const body = sameWireBody(turn, 'chat') ?? {}
  return body['max_completion_tokens'] != null && body['max_tokens'] == null
    ? 'max_completion_tokens'
    : 'max_tokens'
}

/** More models than any provider of a catalogue has. */
const maxLearnt = 1_000

/** The names that the models of one upstream turned out to take, for as long as this process lives. */
export class LimitNames {
  readonly #host: string
  readonly #learnt = new Map<string, LimitName>()

  constructor(host: string) {
    this.#host = host
  }

  of(call: TextCall): LimitName {
    return this.#learnt.get(call.upstreamModel) ?? call.limitName ?? guessedName(this.#host, call)
  }

  learn(upstreamModel: string, name: LimitName): void {
    const oldest = this.#learnt.size < maxLearnt ? undefined : this.#learnt.keys().next().value
    if (oldest !== undefined) this.#learnt.delete(oldest)
    this.#learnt.set(upstreamModel, name)
  }
}

interface LimitedOptions {
  client: UpstreamClient
  codec: ClientCodec
  names: LimitNames
}

/** Sends the call. If the upstream refuses the name of its output limit, it is sent once more by the other name, which is then kept in mind. */
export const generateLimited = (options: LimitedOptions, call: TextCall, sink: PartSink): TextRun =>
  new LimitedCall(options, call, sink)

class LimitedCall implements PartSink, TextRun {
  readonly #options: LimitedOptions
  readonly #call: TextCall
  readonly #sink: PartSink
  readonly #beganMs = performance.now()
  #name: LimitName
  #run: TextRun
  #isPaused = false
  /** Set for the second request: the refusal of the first. */
  #refusal: UpstreamError | undefined
  #isLearnt = false

  constructor(options: LimitedOptions, call: TextCall, sink: PartSink) {
    this.#options = options
    this.#call = call
    this.#sink = sink
    this.#name = options.names.of(call)
    this.#run = this.#send(call)
  }

  pause(): void {
    this.#isPaused = true
    this.#run.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#run.resume()
  }

  stop(): void {
    this.#run.stop()
  }

  part(part: AnswerPart): void {
    if (this.#refusal && !this.#isLearnt) {
      this.#isLearnt = true
      this.#options.names.learn(this.#call.upstreamModel, this.#name)
    }
    this.#sink.part(part)
  }

  flush(): void {
    this.#sink.flush()
  }

  done(): void {
    this.#sink.done()
  }

  failed(error: UpstreamError): void {
    if (!refusesName(error, this.#name)) this.#sink.failed(error)
    // Where both names are refused the first refusal says more: that of the other one is about a name that nobody chose.
    else if (this.#refusal) this.#sink.failed(this.#refusal)
    else this.#sendAgain(error)
  }

  #sendAgain(refusal: UpstreamError): void {
    this.#refusal = refusal
    this.#name = this.#name === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
    const { timeouts, attemptId } = this.#call
    const totalMs = Math.max(1, timeouts.totalMs - (performance.now() - this.#beganMs))
    // A key of its own: an upstream that keeps answers by their keys would repeat the refusal.
    this.#run = this.#send({
      ...this.#call,
      attemptId: `${attemptId}-${this.#name}`,
      timeouts: { ...timeouts, totalMs },
    })
    if (this.#isPaused) this.#run.pause()
  }

  #send(call: TextCall): TextRun {
    const { client, codec } = this.#options
    return generate(client, { ...call, limitName: this.#name }, codec, this)
  }
}

/** How servers say that they do not take a field: OpenAI and Azure, vLLM, Mistral, FastAPI, Go's and Rust's readers. */
const unsupported =
  /unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|not (?:allowed|permitted)|forbidden|extra (?:inputs|fields)/i

/** Whether the upstream refused the request for the name of its limit, and not for the number. */
function refusesName({ fault, status, param, detail = '' }: UpstreamError, name: LimitName): boolean {
  const isRefusal = fault === 'invalid_request' && (status === 400 || status === 422)
  return isRefusal && (param === name || detail.includes(name)) && unsupported.test(detail)
}
