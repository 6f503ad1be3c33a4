/** What a case works with: the open endpoint, its clock, the corpus, and the record of what was sent. */
import type { WebRtc } from '#platform/webrtc'
import type { Random } from '../../../simulation/random.ts'
import type { Corpus } from './corpus.ts'
import type { Certificates } from './hostile-dtls.ts'
import type { Journal } from './journal.ts'

export interface FuzzContext {
  readonly rtc: WebRtc
  readonly corpus: Corpus
  readonly journal: Journal
  /** Of the hostile clients. */
  readonly certificates: Certificates
  /** Moves the clock of the endpoint, which the fuzzer holds: by so much a connection may be checked once more. */
  step(): void
  /** Counts an offer, a datagram or a connection that the endpoint has refused. */
  refused(): void
}

export interface Target {
  /** The bound for the processor time of one case. */
  readonly maxCpuMs: number
  /** Draws one case and sends it. Throws where the endpoint breaks a rule that holds for any input. */
  run(draw: Random): Promise<void>
  /** Closes the connections that cases have left open. */
  close(): Promise<void>
}

/** Thrown where the endpoint did what it may never do. */
export class RuleBroken extends Error {
  override name = 'RuleBroken'
}

export function holds(isTrue: boolean, rule: string): void {
  if (!isTrue) throw new RuleBroken(rule)
}
