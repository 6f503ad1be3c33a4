import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'

const read = (section: string) => loadConfig(readEnv({ KHERAD_LOCALE: 'en' }), `webrtc:\n${section}`).webrtc

test('without the section all addresses, sixteen ports and TCP serve', () => {
  expect(loadConfig(readEnv({}), '').webrtc).toEqual({
    publicIps: [],
    ports: [40_000, 40_015],
    tcp: true,
    listen: ['0.0.0.0', '::'],
  })
})

test('each member is read', () => {
  expect(
    read(
      '  public_ip: [203.0.113.7, "2001:db8::7"]\n  ports: [1, 65535]\n  tcp: false\n  listen: [127.0.0.1]\n',
    ),
  ).toEqual({
    publicIps: ['203.0.113.7', '2001:db8::7'],
    ports: [1, 65_535],
    tcp: false,
    listen: ['127.0.0.1'],
  })
})

test.each([
  ['a public address that is none', '  public_ip: [example.org]\n', /public_ip.*that clients can reach/],
  ['all addresses as the public one', '  public_ip: ["::"]\n', /public_ip.*that clients can reach/],
  ['one port', '  ports: [40000]\n', /ports.*the first and the last/],
  ['three ports', '  ports: [40000, 40001, 40002]\n', /ports.*the first and the last/],
  ['a range that ends before it begins', '  ports: [40001, 40000]\n', /ports.*the first and the last/],
  ['a range from no port', '  ports: [0, 40000]\n', /ports.*the first and the last/],
  ['a port beyond the last', '  ports: [40000, 65536]\n', /ports/],
  ['a name to listen at', '  listen: [localhost]\n', /listen.*an address/],
  ['nowhere to listen', '  listen: []\n', /listen/],
])('%s stops the start', (_what, section, says) => {
  expect(() => read(section)).toThrow(says)
})
