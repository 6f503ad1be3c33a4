import { open } from 'node:fs/promises'

/** Looks into a file without holding it. */
export interface Probe {
  bytes: number
  /** Returns fewer bytes where the file ends. */
  read(start: number, length: number): Promise<Buffer>
}

export const probeBytes = (bytes: Uint8Array): Probe => ({
  bytes: bytes.length,
  read: async (start, length) => {
    const end = Math.min(bytes.length, start + length)
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, end - start))
  },
})

export const probeFile = ({ path, bytes }: { path: string; bytes: number }): Probe => ({
  bytes,
  async read(start, length) {
    await using file = await open(path)
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, bytes - start)))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
    return buffer.subarray(0, bytesRead)
  },
})
