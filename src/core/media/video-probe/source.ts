import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { VideoError } from './fault.ts'

/** A file that is read piece by piece, wherever its tables point. */
export interface VideoSource extends Disposable {
  readonly bytes: number
  /** Returns exactly `length` bytes. Throws `truncated` where the file ends before. */
  read(at: number, length: number): Buffer
}

/** Opens a file for reads that block, in a process that does nothing else. */
export function openSource(path: string): VideoSource {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  return {
    bytes: size,
    read(at, length) {
      if (at + length > size) throw new VideoError('truncated')
      const bytes = Buffer.alloc(length)
      for (let read = 0; read < length; ) {
        const more = readSync(file, bytes, read, length - read, at + read)
        if (more === 0) throw new VideoError('truncated')
        read += more
      }
      return bytes
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}
