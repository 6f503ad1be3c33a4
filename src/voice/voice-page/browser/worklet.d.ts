/** The globals of an audio thread, which the types of pages lack (https://webaudio.github.io/web-audio-api/#AudioWorkletGlobalScope). */
declare const sampleRate: number
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void
