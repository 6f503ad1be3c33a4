/** Compresses contents once, when they are published, in separate threads: those of the process itself are for files and names. */
import { ThreadKilled, Threads } from '#platform/threads'
import type { CompressedForms, CompressTask } from './compress-thread.ts'

const smallestBytes = 1_000
/** Types besides text that are worth compressing: others, such as pictures, are compressed already. */
const compressible =
  /^(text\/|application\/(javascript|json|ld\+json|manifest\+json|xml|wasm|rtf|vnd\.ms-fontobject|x-javascript|.+\+(json|xml))|image\/(svg\+xml|bmp|vnd\.microsoft\.icon|x-icon)|font\/(ttf|otf|collection))/

/**
 * The bytes of all contents of a publication up to which they are compressed as well as can be, at 0.8 s of a core for a megabyte. Beyond it brotli
 * has level 8: ten megabytes of scripts and styles take 0.3 s of a core and become 10 % larger than at level 11, which would take 8 s; level 9 is
 * eight times as slow as 8 and gains 0.3 %. gzip has levels 9 and 6.
 */
const thoroughBytes = 1_000_000

/** The largest content takes two seconds on an idle core. */
const timeoutMs = 60_000
/**
 * Contents, what they become and what the encoders need are buffers, but they count when V8 decides whether to collect garbage: with 32 MB it did so for
 * every content, which took four times as long as compressing it.
 */
const memoryMb = 256

export class SiteCompressor implements AsyncDisposable {
  readonly #threads: Threads<CompressTask, CompressedForms>

  /** `atOnce`: contents that are compressed at the same time; others wait. */
  constructor({ atOnce }: { atOnce: number }) {
    this.#threads = new Threads({
      module: new URL('./compress-thread.ts', import.meta.url),
      maxThreads: atOnce,
      timeoutMs,
      memoryMb,
    })
  }

  /** The forms that are smaller than the content by at least a twentieth. `togetherBytes`: the bytes of all contents that are published with it. */
  async compress(content: Uint8Array, mediaType: string, togetherBytes: number): Promise<CompressedForms> {
    if (content.length < smallestBytes || !compressible.test(mediaType)) return {}
    // The thread gets a copy, since all of the memory behind a view would be copied.
    const own = new Uint8Array(content)
    const task = {
      content: own,
      isText: mediaType.startsWith('text/'),
      isThorough: togetherBytes <= thoroughBytes,
    }
    try {
      return await this.#threads.run(task, [own.buffer])
    } catch (error) {
      // The content is served as it is.
      if (error instanceof ThreadKilled) return {}
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]()
  }
}
