/** What the current case has sent. It lies in memory that another thread can read while the thread of the case hangs. */
import type { TargetName } from './targets.ts'

export interface Noted {
  /** The number of the case. */
  number: number
  /** The datagrams or texts, in hexadecimal; those of clients with keys before their encryption. */
  inputs: string[]
}

const capacity = 524_288
const headerBytes = 8

export class Journal {
  readonly memory: ArrayBuffer | SharedArrayBuffer
  readonly #bytes: Buffer

  constructor(memory: ArrayBuffer | SharedArrayBuffer = new ArrayBuffer(capacity)) {
    this.memory = memory
    this.#bytes = Buffer.from(memory)
  }

  /** One that a thread and its parent share. */
  static shared(): Journal {
    return new Journal(new SharedArrayBuffer(capacity))
  }

  begin(number: number): void {
    this.#bytes.writeUInt32BE(0, 0)
    this.#bytes.writeUInt32BE(number, 4)
  }

  /** Adds bytes; what no longer fits is left out. */
  note(bytes: Uint8Array): void {
    const used = this.#bytes.readUInt32BE(0)
    const at = headerBytes + used
    if (at + 4 + bytes.length > this.#bytes.length) return
    this.#bytes.writeUInt32BE(bytes.length, at)
    this.#bytes.set(bytes, at + 4)
    this.#bytes.writeUInt32BE(used + 4 + bytes.length, 0)
  }

  read(): Noted {
    const end = headerBytes + this.#bytes.readUInt32BE(0)
    const inputs: string[] = []
    for (let at = headerBytes; at < end; ) {
      const next = at + 4 + this.#bytes.readUInt32BE(at)
      inputs.push(this.#bytes.toString('hex', at + 4, next))
      at = next
    }
    return { number: this.#bytes.readUInt32BE(4), inputs }
  }
}

/** A case that broke a rule. */
export interface Finding {
  kind: 'exception' | 'escaped' | 'slow' | 'hang' | 'unhealthy' | 'memory'
  target: TargetName | 'healthy peer'
  seed: number
  number: number
  detail: string
  stack?: string | undefined
  inputs: string[]
}
