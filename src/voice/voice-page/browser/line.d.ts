/** How a call reaches the server: over WebRTC or a WebSocket. */
export interface Line {
  send(event: object): void
  /** Nothing is heard and told any more. */
  close(): void
}

export interface LineOptions {
  /** Of this call only (`ek_…`). */
  secret: string
  microphone: MediaStream
  /** Plays what comes. */
  audio: HTMLAudioElement
  heard(event: CallEvent): void
  /** The line is closed by the other side or broken. */
  gone(): void
}

/** As OpenAI's Realtime API names them. */
export interface CallEvent {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own members.
  [member: string]: any
}

/** Who speaks, or what happens in place of it. */
export type CallState = 'idle' | 'connecting' | 'listening' | 'caller' | 'thinking' | 'assistant'

/** Shows a call to a person. */
export interface CallView {
  state(state: CallState): void
  /** A sentence beside the state. */
  note(sentence: string): void
  /** Credits. */
  money(figures: { spent: number; held: number }): void
  /** Of both sides: what was said. */
  event(event: CallEvent): void
  /** Once. */
  ended(sentence: string, failed: boolean): void
}
