/** The line of a call to the server: over WebRTC or a WebSocket. */
export interface CallLine {
  send(event: object): void
  /** Closes the line: no sound or event is passed on any more. */
  close(): void
}

export interface CallLineOptions {
  /** The secret of this call only (`ek_…`). */
  secret: string
  microphone: MediaStream
  /** Plays the received sound. */
  audio: HTMLAudioElement
  heard(event: CallEvent): void
  /** The line is closed by the other side or broken. */
  gone(): void
}

/** An event, named as in OpenAI's Realtime API. */
export interface CallEvent {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own members.
  [member: string]: any
}

/** Who speaks, or what happens while nobody does. */
export type CallState = 'idle' | 'connecting' | 'listening' | 'caller' | 'thinking' | 'assistant'

/** Shows a call to a person. */
export interface CallView {
  state(state: CallState): void
  /** Shows a sentence beside the state. */
  note(sentence: string): void
  /** Shows figures in credits. */
  money(figures: { spent: number; held: number }): void
  /** Shows the words of both sides. */
  event(event: CallEvent): void
  /** Called once. */
  ended(sentence: string, failed: boolean): void
}
