/** The sound of a call over a WebSocket, in the audio thread: 24,000 samples a second on the line, and the device's rate here. */

const lineRate = 24_000
/** The samples of one message of the microphone: 40 ms. */
const chunkSamples = 960
/** How long sound waits before it plays, so that messages that come unevenly leave no gap. */
const delaySeconds = 0.06
/** The zero crossings of the filter on either side. */
const crossings = 12

/** Changes the rate of sound that comes in pieces: a windowed sinc below both rates. */
class Resampler {
  /**
   * @param {number} from
   * @param {number} to
   */
  constructor(from, to) {
    this.step = from / to
    this.cutoff = 0.92 * Math.min(1, to / from)
    this.reach = Math.ceil(crossings / this.cutoff)
    this.kept = new Float32Array(2 * this.reach)
    this.at = this.reach
  }

  /** @param {Float32Array} samples */
  push(samples) {
    if (this.step === 1) return samples
    const all = new Float32Array(this.kept.length + samples.length)
    all.set(this.kept)
    all.set(samples, this.kept.length)
    const made = []
    for (; this.at + this.reach + 1 < all.length; this.at += this.step) made.push(this.sampleAt(all, this.at))
    const done = Math.floor(this.at) - this.reach
    this.kept = all.slice(done)
    this.at -= done
    return Float32Array.from(made)
  }

  /**
   * @param {Float32Array} all
   * @param {number} at
   */
  sampleAt(all, at) {
    const middle = Math.floor(at)
    let sum = 0
    for (let index = middle - this.reach + 1; index <= middle + this.reach; index++) {
      const away = at - index
      const turn = Math.PI * away * this.cutoff
      const sinc = turn === 0 ? 1 : Math.sin(turn) / turn
      sum += (all[index] ?? 0) * sinc * (0.5 + 0.5 * Math.cos((Math.PI * away) / this.reach))
    }
    return sum * this.cutoff
  }
}

/** The microphone, which sends messages of 16-bit samples. */
class MicrophoneProcessor extends AudioWorkletProcessor {
  resampler = new Resampler(sampleRate, lineRate)
  chunk = new Int16Array(chunkSamples)
  filled = 0

  /** @param {Float32Array[][]} inputs */
  process([input]) {
    const samples = input?.[0]
    if (samples) for (const sample of this.resampler.push(samples)) this.add(sample)
    return true
  }

  /** @param {number} sample */
  add(sample) {
    this.chunk[this.filled++] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)
    if (this.filled < chunkSamples) return
    this.port.postMessage(this.chunk, [this.chunk.buffer])
    this.chunk = new Int16Array(chunkSamples)
    this.filled = 0
  }
}

/** The loudspeaker, which plays 16-bit samples as they come; `null` drops the waiting ones. */
class LoudspeakerProcessor extends AudioWorkletProcessor {
  resampler = new Resampler(lineRate, sampleRate)
  /** @type {Float32Array[]} */
  waiting = []
  at = 0
  delay = 0

  constructor() {
    super()
    this.port.onmessage = ({ data }) => this.take(data)
  }

  /** @param {Int16Array | null} samples */
  take(samples) {
    if (!samples) {
      this.waiting = []
      this.at = 0
      this.resampler = new Resampler(lineRate, sampleRate)
      return
    }
    if (this.waiting.length === 0) this.delay = delaySeconds * sampleRate
    this.waiting.push(this.resampler.push(Float32Array.from(samples, (sample) => sample / 32_768)))
  }

  /**
   * @param {Float32Array[][]} _inputs
   * @param {Float32Array[][]} outputs
   */
  process(_inputs, [output]) {
    const channel = output?.[0]
    if (!channel) return true
    this.delay -= channel.length
    if (this.delay > 0) return true
    for (let index = 0; index < channel.length && this.waiting.length > 0; index++) {
      const piece = /** @type {Float32Array} */ (this.waiting[0])
      channel[index] = piece[this.at++] ?? 0
      if (this.at < piece.length) continue
      this.waiting.shift()
      this.at = 0
    }
    return true
  }
}

registerProcessor('listen', MicrophoneProcessor)
registerProcessor('play', LoudspeakerProcessor)
