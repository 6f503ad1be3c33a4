/** A sample of a JSON Schema `format`; `undefined` for an unknown format, which is then only an annotation. */
export function sampleFormat(format: string, variant: number): string | undefined {
  const day = String((variant % 28) + 1).padStart(2, '0')
  const part = (variant % 250) + 1
  const hex = (variant + 1).toString(16).padStart(12, '0').slice(-12)
  const suffix = variant === 0 ? '' : String(variant)
  const samples: Record<string, string> = {
    date: `2026-01-${day}`,
    time: '09:30:00Z',
    'date-time': `2026-01-${day}T09:30:00Z`,
    duration: `P${part}D`,
    email: `sandbox${suffix}@example.com`,
    'idn-email': `sandbox${suffix}@example.com`,
    hostname: `host${suffix}.example.com`,
    'idn-hostname': `host${suffix}.example.com`,
    ipv4: `192.0.2.${part}`,
    ipv6: `2001:db8::${part.toString(16)}`,
    uri: `https://example.com/${suffix}`,
    'uri-reference': `/sample${suffix}`,
    'uri-template': `https://example.com/{id}${suffix}`,
    url: `https://example.com/${suffix}`,
    iri: `https://example.com/${suffix}`,
    'iri-reference': `/sample${suffix}`,
    uuid: `00000000-0000-4000-8000-${hex}`,
    regex: `^a${suffix}$`,
    'json-pointer': `/sample${suffix}`,
    'relative-json-pointer': `${variant}/sample`,
    byte: 'c2FtcGxl',
  }
  return Object.hasOwn(samples, format) ? samples[format] : undefined
}
