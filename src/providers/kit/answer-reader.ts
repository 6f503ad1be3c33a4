import type { AnswerPart } from '#core/turn'

/**
 * What an event means for the timeouts. `token`: output, which ends the wait for the first token. `life`: a sign of life without output,
 * which resets the idle timeout. `nothing`: an upstream that sends only such events counts as idle.
 */
export type EventProgress = 'token' | 'life' | 'nothing'

/** The wire-specific reader of one streamed answer; one instance for each answer. Pure: events to parts. */
export interface AnswerReader {
  /** True once the finish reason has arrived; later events may be missing. */
  readonly finished: boolean
  /** True once the wire's last event has arrived: nothing more is read. */
  readonly closed: boolean
  /** True if this side ended the answer (a stop sequence) while the upstream is still writing. */
  readonly endedEarly?: boolean
  /**
   * Reads one event and adds its parts to `parts`; `text` is the JSON that it was read from. Throws `UpstreamError` for a failure
   * that the event reports.
   */
  read(event: Record<string, unknown>, name: string, parts: AnswerPart[], text: string): EventProgress
  /** Called when `[DONE]` came. */
  close(): void
  /** The final parts. Throws a `cut` fault if there was no finish. */
  end(): Iterable<AnswerPart>
  /** The usage reported so far, for an answer that failed. */
  usageSoFar(): Iterable<AnswerPart>
}
