import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 5,
  rooms: [
    'src/account/console',
    'src/account/console-build',
    'src/account/people-routes',
    'src/account/keys',
    'src/account/management-keys',
    'src/account/identity',
    'src/platform/apps',
  ],
  files: [
    'console/**',
    'scripts/console/**',
    'tests/account/console/**',
    'tests/harness/virtual-authenticator.ts',
  ],
  guarantees: [
    'Every page of the console is whole in both languages, wide and on a phone, in light colours and in dark ones: nothing is cut, lies on another thing or scrolls sideways, and axe finds nothing serious, also while it loads, after a failure, without credit, without data, with 400 rows and with hostile names.',
    'Nothing that somebody wrote runs in a page of the console, no page asks another origin or breaks its policy.',
    'The file of the page Usage, opened in LibreOffice, has the rows of the page with the same figures, and what callers wrote is no formula in it.',
    'No host of the second listener reads the session of a person in a real browser, signs them out or somebody in, by script or by header, on HTTP and on HTTPS.',
  ],
}
