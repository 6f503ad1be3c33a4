import type { Model } from '#core/models'
import type { Turn } from '#core/turn'
import { UpstreamCallIds } from '../call-ids.ts'
import { ExcerptReader } from './service-results.ts'

/** What parsing the blocks of a request collects beside their content. */
export class ParseContext {
  readonly model: Model
  /** The first feature of the request that no other wire can carry. */
  sourceWireOnly: Turn['sourceWireOnly']
  /** Bytes that are sent to an upstream of this wire and are in no neutral field. */
  passthroughBytes = 0
  readonly excerpts = new ExcerptReader()
  readonly callIds = new UpstreamCallIds()

  constructor(model: Model) {
    this.model = model
  }

  needsOwnWire(param: string, what: string): void {
    this.sourceWireOnly ??= { param, what }
  }

  addPassthroughBytes(value: unknown): void {
    this.passthroughBytes += Buffer.byteLength(JSON.stringify(value))
  }
}
