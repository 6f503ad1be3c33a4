/** The smallest picture, sound and film that are what they say, as Base64. */

/** 1 × 1 pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

/** Silence of one second: 8 kHz, 8 bit, mono. */
export const wav = ((): string => {
  const samples = 8_000
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8_000, 24)
  header.writeUInt32LE(8_000, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples, 40)
  return Buffer.concat([header, Buffer.alloc(samples, 0x80)]).toString('base64')
})()

/** Two seconds of 320 × 240 without a picture in it. */
export const mp4 = ((): string => {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const box = (name: string, ...payload: Buffer[]): Buffer => {
    const body = Buffer.concat(payload)
    return Buffer.concat([number(body.length + 8), Buffer.from(name), body])
  }
  const header = box('mvhd', Buffer.alloc(12), number(1_000), number(2_000), Buffer.alloc(80))
  const track = box('trak', box('tkhd', Buffer.alloc(76), number(320 * 65_536), number(240 * 65_536)))
  const type = box('ftyp', Buffer.from('isom'), number(512), Buffer.from('isomavc1'))
  return Buffer.concat([type, box('moov', header, track)]).toString('base64')
})()
