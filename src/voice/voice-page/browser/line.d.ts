/** The line of a call to the server: over WebRTC or a WebSocket. */
export interface CallLine {
  send(event: object): void
  /** Closes the line: no sound or event is passed on any more. */
  close(): void
}

/** What proves a request: a key or the secret of a call (`ek_…`), or the session in the cookie, which names its project. */
export type Credential = { secret: string } | { project: string | undefined }

/** Who answers, and how: the body of a request for a client secret. */
export interface CallChoice {
  agent_id?: string
  store: boolean
  session: { type: 'realtime'; model?: string; audio: object }
}

/** What begins a call. A client secret has its choice already. */
export type CallCredential = { secret: string } | { project: string | undefined; choice: CallChoice }

export interface CallLineOptions {
  credential: CallCredential
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
