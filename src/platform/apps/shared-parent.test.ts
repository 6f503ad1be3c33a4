import { expect, test } from 'vitest'
import { sharedParent } from './shared-parent.ts'

const found = (baseUrl: string, domain?: string, cloudDomain?: string) =>
  sharedParent({
    baseUrl,
    apps: { listens: true, port: 1, portNamed: true, sharedPort: false, domain, cloudDomain },
  })

test.each([
  ['https://ai.example.org', 'apps.example.org', undefined, 'example.org'],
  ['https://ai.example.co.uk', 'apps.example.co.uk', undefined, 'example.co.uk'],
  ['https://ai.example.co.ir', undefined, 'clouds.example.co.ir', 'example.co.ir'],
  ['https://ai.example.org', 'apps.example.net', 'c.example.org', 'example.org'],
])('%s beside %s and %s shares %s', async (baseUrl, domain, clouds, parent) => {
  expect(await found(baseUrl, domain, clouds)).toEqual({ domain: clouds ?? domain, parent })
})

test.each([
  ['https://ai.example.org', 'apps.example.net', undefined],
  ['https://one.co.uk', 'two.co.uk', undefined],
  ['https://one.github.io', 'two.github.io', undefined],
  ['http://localhost:8080', 'localhost', undefined],
  ['http://192.0.2.1:8080', 'apps.example.net', undefined],
  ['https://ai.example.org', undefined, undefined],
])('%s beside %s shares nothing', async (baseUrl, domain, clouds) => {
  expect(await found(baseUrl, domain, clouds)).toBeUndefined()
})
