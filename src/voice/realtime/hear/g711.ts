/** The two codings of telephony (ITU-T G.711): one byte per sample, at 8 kHz. */

/** The sample of each byte in µ-law, within [-1, 1]. */
export const muLaw: Float32Array = tableOf((byte) => {
  const bits = ~byte & 0xff
  const size = (((bits & 0x0f) << 3) + 132) << ((bits >> 4) & 7)
  return (bits & 0x80 ? 132 - size : size - 132) / 32_768
})

/** The same as `muLaw`, for A-law. */
export const aLaw: Float32Array = tableOf((byte) => {
  const bits = byte ^ 0x55
  const segment = (bits >> 4) & 7
  const step = (bits & 0x0f) << 4
  const size = segment === 0 ? step + 8 : (step + 264) << (segment - 1)
  return (bits & 0x80 ? size : -size) / 32_768
})

function tableOf(sampleOf: (byte: number) => number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => sampleOf(byte))
}
