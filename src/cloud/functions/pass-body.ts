import type { Readable, Writable } from 'node:stream'

/**
 * Writes the body of a call to `target`. Unlike a pipeline it never destroys the body: bytes that the target leaves stay with whoever serves the
 * caller's connection, on which the next request follows. A body that breaks off destroys the target.
 */
export function passBody<Target extends Writable>(body: Readable, target: Target): Target {
  const leave = (): void => {
    if (!body.readableEnded) target.destroy()
  }
  for (const event of ['error', 'close']) {
    body.on(event, leave)
    target.once('close', () => body.off(event, leave))
  }
  return body.pipe(target)
}
