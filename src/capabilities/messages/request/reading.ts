import type { Model } from '#engine/models'
import type { Turn } from '#engine/turn'
import { Excerpts } from './found.ts'

/** What is learnt of a request while its blocks are read, beside their content. */
export class Reading {
  readonly model: Model
  /** The first thing that no other wire can carry. */
  sourceWireOnly: Turn['sourceWireOnly']
  /** Bytes that reach an upstream of this wire and stand in no neutral field. */
  passthroughBytes = 0
  readonly excerpts = new Excerpts()

  constructor(model: Model) {
    this.model = model
  }

  needsOwnWire(param: string, what: string): void {
    this.sourceWireOnly ??= { param, what }
  }

  unread(value: unknown): void {
    this.passthroughBytes += Buffer.byteLength(JSON.stringify(value))
  }
}
