/** Thrown by the money of a call that has ended, here or by another process: nothing more of it may be asked of an upstream. */
export class CallOver extends Error {
  override name = 'CallOver'
  constructor() {
    super('The call has ended.')
  }
}
