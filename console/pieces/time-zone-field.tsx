import { type ReactNode, useMemo } from 'react'
import { Select } from './select.tsx'

interface TimeZoneFieldProps {
  label: string
  hint: string
  /** An IANA name, which this browser need not know. */
  value: string
  onChange(value: string): void
  error: string | undefined
}

/** A time zone of all that the browser knows, found by any part of its name. */
export function TimeZoneField({ value, ...rest }: TimeZoneFieldProps): ReactNode {
  const choices = useMemo(() => {
    const known = new Set([value, 'Asia/Tehran', 'UTC', ...Intl.supportedValuesOf('timeZone')])
    return [...known].sort().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
  }, [value])
  return <Select {...rest} isSearchable choices={choices} value={value} />
}
