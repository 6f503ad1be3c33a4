import { describe, expect, test } from 'vitest'
import { availabilityAt, localhostOf } from './passkey-site.ts'

describe('passkeys are used', () => {
  test('on HTTPS, whatever the port and the path, and at http://localhost', () => {
    const sites = ['https://ai.example.org', 'https://ai.example.org:8443/kherad', 'http://localhost:8080']
    expect(sites.map(availabilityAt)).toEqual([
      { available: true, rpId: 'ai.example.org', origin: 'https://ai.example.org' },
      { available: true, rpId: 'ai.example.org', origin: 'https://ai.example.org:8443' },
      { available: true, rpId: 'localhost', origin: 'http://localhost:8080' },
    ])
  })

  test('at no IP address and not over plain HTTP, which says what to open instead', () => {
    const said = (url: string) => {
      const found = availabilityAt(url)
      return found.available ? 'available' : found.why.en
    }
    expect(said('http://127.0.0.1:8080')).toContain('http://localhost:8080')
    expect(said('http://[::1]:8080')).toContain('http://localhost:8080')
    for (const url of ['https://192.0.2.7', 'https://[2001:db8::1]:8443', 'http://192.0.2.7'])
      expect(said(url), url).toMatch(/IP address.*host name over HTTPS/)
    for (const url of ['http://ai.example.org', 'http://localhost.example.org', 'http://app.localhost'])
      expect(said(url), url).toContain('plain HTTP')
  })
})

test('only an address of this machine has one of localhost beside it', () => {
  expect(localhostOf('http://127.0.0.1:8080')).toBe('http://localhost:8080')
  expect(localhostOf('http://192.0.2.7:8080')).toBeUndefined()
  expect(localhostOf('https://ai.example.org')).toBeUndefined()
})
