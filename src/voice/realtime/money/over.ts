/** Thrown by the money of a call that has ended, here or by another process: no upstream may be called for it any more. */
export class CallOver extends Error {
  override name = 'CallOver'
  constructor() {
    super('The call has ended.')
  }
}
