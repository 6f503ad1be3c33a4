/** Links in mails and from operators: what one is for, and what it does when its page hands it in. */
import { auditRequest } from '#account/audit'
import {
  answerEntrance,
  type Browser,
  browserOf,
  type Entrance,
  type EntryAnswer,
  finishFirstFactor,
} from '#account/entering'
import { cancelFactorReset } from '#account/factors'
import { describeLink, type LinkDescription, redeemLink } from '#account/invitations'
import { lockPerson, personById } from '#account/people'
import { countPersonAttempt, maskedAddress, requireAddress, requirePassword } from '#account/sign-in'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isInOwnBrowser, type RequestContext } from '#platform/http'
import { undoChange } from './address-change.ts'
import type { SignInApp } from './app.ts'
import { findLink, type Link, takeLink } from './links.ts'
import { endWaiting } from './new-password.ts'
import { whyInvalid } from './phrases.ts'
import { shownDropped } from './proof.ts'
import type { LinkBody, LinkRedemption, LinkView } from './schema.ts'
import { entries, networkOfBrowser } from './throttle.ts'

/** Says what a link is for, and changes nothing. Throws LINK_INVALID and TOO_MANY_ATTEMPTS. */
export async function readLink(context: RequestContext<SignInApp, LinkBody>): Promise<LinkView> {
  const { app, body } = context
  await countPersonAttempt(app, entries(browserOf(context)))
  const now = new Date(app.clock.nowMs())
  const described = await describeLink(app, body.token, now)
  if (described) return viewOf(described)
  const link = await findLink(app.db, body.token, now)
  const person = link && (await personById(app.db, link.person_id))
  if (!link || !person) return fail('LINK_INVALID', {})
  const email = link.data.email ?? person.email
  return {
    purpose: link.purpose,
    needs: link.purpose === 'password_reset' ? 'password' : 'nothing',
    email_masked: email === null ? null : maskedAddress(email),
    expires_at: link.expires_at.toISOString(),
  }
}

const viewOf = ({ purpose, needs, email, expiresAt, invitation }: LinkDescription): LinkView => ({
  ...{ purpose, needs },
  email_masked: email === null ? null : maskedAddress(email),
  expires_at: expiresAt.toISOString(),
  ...(invitation && {
    invitation: {
      account_name: invitation.accountName,
      inviter_name: invitation.inviterName,
      role: invitation.role,
    },
  }),
})

type RedemptionAnswer = EntryAnswer | { status: 'done'; purpose: LinkView['purpose'] }

/**
 * Redeems a link, once. Throws LINK_INVALID, NOT_SIGNED_IN where it needs a session, INVALID_REQUEST where something that it needs is missing,
 * INVITATION_INVALID, INVITATION_FOR_ANOTHER, EMAIL_TAKEN, EMAIL_INVALID, PASSWORD_WEAK, TOO_MANY_ATTEMPTS and SIGN_IN_BUSY.
 */
export async function redeem(context: RequestContext<SignInApp, LinkRedemption>): Promise<RedemptionAnswer> {
  const { app, body } = context
  const browser = browserOf(context)
  await countPersonAttempt(app, entries(browser))
  const now = new Date(app.clock.nowMs())
  const described = await describeLink(app, body.token, now)
  return described ? redeemDescribed(context, described, browser, now) : redeemOwn(context, now)
}

async function redeemDescribed(
  context: RequestContext<SignInApp, LinkRedemption>,
  { purpose, needs }: LinkDescription,
  browser: Browser,
  now: Date,
): Promise<RedemptionAnswer> {
  const { app, body, requestId, headers } = context
  const signedInAs = needs === 'password' ? undefined : await personOfSession(context)
  if (needs === 'session' && signedInAs === undefined) fail('NOT_SIGNED_IN', {})
  const passwordHash = signedInAs === undefined ? await hashOf(context, browser) : undefined
  const newPerson = signedInAs === undefined && needs !== 'password' ? personOf(body, needs) : undefined
  const request = { requestId, client: headers['user-agent'] }
  const entrance = await app.db.tx(async (tx): Promise<Entrance | 'done'> => {
    const redemption = {
      token: body.token,
      ...(signedInAs !== undefined && { signedInAs }),
      ...(passwordHash !== undefined && { passwordHash }),
      ...(newPerson && passwordHash !== undefined && { newPerson: { ...newPerson, passwordHash } }),
    }
    const redeemed = await redeemLink(app, tx, redemption, request, now)
    if (!redeemed) return fail('LINK_INVALID', {})
    const { person, isNew } = redeemed
    const isReset = redeemed.purpose === 'operator_reset'
    if (isReset) await endWaiting(tx, person.personId, now)
    const enters = isNew || isReset
    return enters ? finishFirstFactor(context, tx, { person, method: 'link', browser }, now) : 'done'
  })
  return entrance === 'done' ? { status: 'done', purpose } : answerEntrance(context, entrance)
}

/** The person of the session that the browser has. The route asks for none, because most links are for people without one. */
async function personOfSession(context: RequestContext<SignInApp>): Promise<string | undefined> {
  const token = context.cookie('session')
  const session = token === undefined ? undefined : await context.app.sessions.find(token)
  return session && isInOwnBrowser(context, session) ? session.personId : undefined
}

const missing = (field: string): never =>
  fail('INVALID_REQUEST', { why: whyInvalid.linkNeeds(field) }, { param: field })

async function hashOf(
  { app, body }: RequestContext<SignInApp, LinkRedemption>,
  browser: Browser,
): Promise<string> {
  const password = requirePassword(body.password ?? missing('password'))
  return app.passwords.hash(networkOfBrowser(browser), password)
}

function personOf({ person }: LinkRedemption, needs: LinkDescription['needs']) {
  const given = person ?? missing('person')
  const email = needs === 'new_person' ? requireAddress(given.email ?? missing('person.email')) : undefined
  return {
    displayName: given.display_name,
    locale: given.locale,
    ...(given.time_zone !== undefined && { timeZone: given.time_zone }),
    ...(email !== undefined && { email }),
  }
}

async function redeemOwn(
  context: RequestContext<SignInApp, LinkRedemption>,
  now: Date,
): Promise<{ status: 'done'; purpose: LinkView['purpose'] }> {
  const { app, body } = context
  const found = await findLink(app.db, body.token, now)
  // A forgotten password is replaced at its own address, which signs in.
  if (!found || found.purpose === 'password_reset') return fail('LINK_INVALID', {})
  await app.db.tx(async (tx) => {
    await lockPerson(tx, found.person_id)
    const link = await takeLink(tx, body.token, found.purpose, now)
    const done = link && (await act(app, tx, link, now))
    if (!done) return fail('LINK_INVALID', {})
    const { person_id: id, purpose } = found
    const after = { purpose, ...done }
    await auditRequest(tx, context, { accountId: null, target: { kind: 'person', id }, after })
  })
  return { status: 'done', purpose: found.purpose }
}

/** Does what the link is for. Returns what the row of the audit log says of it; undefined if there was nothing to do. */
async function act(app: SignInApp, tx: Tx, link: Link, now: Date): Promise<object | undefined> {
  if (link.purpose !== 'email_undo')
    return (await cancelFactorReset(tx, link.person_id, now)) ? {} : undefined
  await lockPerson(tx, link.person_id)
  const dropped = await undoChange(app, tx, link, now)
  return dropped && { dropped: shownDropped(dropped) }
}
