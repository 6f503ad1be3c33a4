/** What asks people for a factor of the last ten minutes: whatever shows or ends a credential, changes who may enter, or deletes for good. */
import { expect, test } from 'vitest'
import { routes } from '../../src/capabilities.ts'

const credentialsShownOrEnded = [
  ...['keys.create', 'keys.change', 'keys.revoke'],
  ...['cloud.rotate_key', 'cloud.delete_key', 'cloud.set_secret', 'cloud.delete_secret'],
  ...['webhooks.rotateSecret', 'operator.revealMail'],
]
const membersChanged = [
  ...['members.change', 'members.remove', 'members.requestFactorReset', 'members.cancelFactorReset'],
  ...['invitations.create', 'invitations.resend', 'invitations.revoke'],
]
const ownEntryChanged = [
  ...['me.confirmEmail', 'me.requestEmail', 'me.setPassword', 'me.leave', 'me.delete', 'me.export'],
  ...['factors.beginTotp', 'factors.confirmTotp', 'factors.remove', 'factors.rename'],
  ...['factors.renewRecoveryCodes', 'passkeys.add', 'passkeys.begin', 'openid.link', 'openid.unlink'],
]
const deletedForGood = [
  'account.delete',
  'cloud.delete',
  'cloud.delete_backup',
  'sites.delete',
  'sites.delete_of_cloud',
]

test('whatever shows or ends a credential, changes who may enter or deletes for good asks people for a recent factor', () => {
  const asking = routes.filter(({ stepUp }) => stepUp).map(({ operation }) => operation)
  expect(asking).toEqual(
    expect.arrayContaining([
      ...credentialsShownOrEnded,
      ...membersChanged,
      ...ownEntryChanged,
      ...deletedForGood,
    ]),
  )
})
