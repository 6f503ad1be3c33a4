/** Collects the latest sound for a client that decides itself when a turn is over. */
import { frameSamples, framesOf, SampleBuffer } from './samples.ts'
import { maxFrames } from './utterance.ts'

const minCommitFrames = framesOf(100)

export class CollectedSound {
  #samples = new SampleBuffer(maxFrames * frameSamples)

  append(frame: Float32Array): void {
    // A second is dropped at a time, so that the buffer is not moved at each frame.
    if (this.#samples.isFull) this.#samples.dropFirst(50 * frameSamples)
    this.#samples.append(frame)
  }

  /** Takes all samples out. Returns undefined, and takes nothing, where there is less than 100 ms of sound. */
  take(): Float32Array | undefined {
    const samples = this.#samples
    if (samples.length < minCommitFrames * frameSamples) return undefined
    this.clear()
    return samples.first(samples.length)
  }

  clear(): void {
    this.#samples = new SampleBuffer(maxFrames * frameSamples)
  }
}
