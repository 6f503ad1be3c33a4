import { type Mutation, mutationsBy } from './mutation.ts'

const of = mutationsBy({
  password: 'tests/account/sign-in/password.test.ts',
  mailed: 'tests/account/sign-in/mailed.test.ts',
  own: 'tests/account/sign-in/own-account.test.ts',
  signUp: 'tests/account/sign-in/sign-up.test.ts',
  takeovers: 'tests/account/sign-in/takeovers.test.ts',
  secondFactor: 'tests/account/factors/second-factor.test.ts',
  resets: 'tests/account/factors/resets.test.ts',
  openId: 'tests/account/openid/sign-in.test.ts',
  calls: 'tests/voice/create.test.ts',
})

/** How people sign in, and what ends with their sessions. */
export const signInMutations: readonly Mutation[] = [
  ...of(
    'src/account/entering/enter.ts',
    [
      'const factors = bothFactors ? [] : await secondFactorsOf(tx, personId)',
      'const factors: SecondFactor[] = []\n  void bothFactors',
      'A first factor of somebody who has a second one opens no session',
      'password',
    ],
    [
      "const isSteppedUp = method !== 'openid'",
      'const isSteppedUp = true',
      'A sign-in by a provider steps nobody up',
      'openId',
    ],
    [
      'if (former !== undefined) await endSessionOf(tx, former, now)',
      'void former',
      'A sign-in ends the session that the browser had',
      'takeovers',
    ],
    [
      'if (!(await endChallenge(tx, challenge))) return undefined',
      'await endChallenge(tx, challenge)',
      'A first factor is worth one session',
      'password',
    ],
    [
      'const isNewDevice = opened.isNewDevice || isToldAsNew',
      'const isNewDevice = opened.isNewDevice',
      'The first proof of an address is told as a sign-in from a new device',
      'takeovers',
    ],
  ),
  ...of('src/account/entering/challenges.ts', [
    'where hash = ${hashToken(token)} and expires_at > ${now}`',
    'where hash = ${hashToken(token)} and ${now}::timestamptz is not null`',
    'A first factor waits ten minutes for the second',
    'password',
  ]),
  ...of(
    'src/account/sign-in-routes/password.ts',
    [
      "if (!person || !isRight) fail('WRONG_CREDENTIALS', {})",
      "if (!person) fail('WRONG_CREDENTIALS', {})",
      'A wrong password signs nobody in',
      'password',
    ],
    [
      "if (locked?.passwordHash !== person.passwordHash) fail('WRONG_CREDENTIALS', {})",
      'void locked',
      'A password that was replaced while it was compared signs nobody in',
      'password',
    ],
    [
      'await countPersonAttempt(app, [...attempts, ofChallenge(challenge.hash)])',
      'await countPersonAttempt(app, attempts)',
      'A first factor allows five codes',
      'password',
    ],
  ),
  ...of(
    'src/account/sign-in-routes/mail-code.ts',
    [
      'if (!owner || owner.personId !== found?.person_id) return undefined',
      'if (!owner || !found) return undefined',
      'A code that was mailed to the one who had the address before signs nobody in',
      'mailed',
    ],
    [
      'const isNewDevice = await proveFromOutside(context, tx, owner, email, now)',
      'const isNewDevice = false',
      'A mailed code drops what was set before the address was proven',
      'mailed',
    ],
    [
      '...{ isOwn: isKnown, isNear },',
      '...{ isOwn: true, isNear },',
      'Strangers do not use up the letters of a person',
      'mailed',
    ],
  ),
  ...of(
    'src/account/sign-in-routes/codes.ts',
    [
      'and expires_at > ${now} and tries < ${maxCodeTries} for update',
      'and expires_at > ${now} for update',
      'A mailed code allows five tries',
      'mailed',
    ],
    [
      'if (found) await sql`delete from people.codes where ${ofPlace}`.execute(tx)\n  else await',
      'if (!found) await',
      'A mailed code is valid once',
      'mailed',
    ],
    [
      'purpose = ${purpose} and email = ${email} and browser_hash = ${browserHash}`\n  const',
      'purpose = ${purpose} and email = ${email} and ${browserHash}::bytea is not null`\n  const',
      'A mailed code is worth nothing in another browser, which uses up none of its tries',
      'mailed',
    ],
  ),
  ...of('src/account/sign-in-routes/recovery.ts', [
    'const isNewDevice = await proveFromOutside(context, tx, person, person.email, now)',
    'const isNewDevice = false',
    'A mailed link drops what was set before the address was proven',
    'takeovers',
  ]),
  ...of(
    'src/account/sign-in-routes/new-password.ts',
    [
      'await endSessions(tx, personId, { except: exceptSession }, now)\n',
      '\n',
      'A new password ends every other session',
      'mailed',
    ],
    [
      '  await endChallenges(tx, personId)\n',
      '\n',
      'A new password ends first factors that wait',
      'takeovers',
    ],
    ['  await dropCodesOf(tx, personId)\n', '\n', 'A new password ends mailed codes', 'takeovers'],
  ),
  ...of('src/account/sign-in-routes/redeem.ts', [
    'if (isReset) await endWaiting(tx, person.personId, now)',
    'void isReset',
    'A reset by the operator ends what waits for its second half',
    'takeovers',
  ]),
  ...of(
    'src/account/sign-in-routes/address-change.ts',
    [
      'const dropped = await dropCredentials(tx, personId, since, now)',
      "const dropped = await dropCredentials(tx, personId, 'ever', now)",
      'An undone change of address leaves what was set before it',
      'takeovers',
    ],
    [
      'await endSessions(tx, personId, {}, now)',
      'void endSessions',
      'An undone change of address ends every session',
      'own',
    ],
  ),
  ...of(
    'src/account/sign-in-routes/sign-up.ts',
    [
      'if (found?.email !== email) fail(',
      'if (!found) fail(',
      'An invitation signs up its own address alone',
      'signUp',
    ],
    [
      'await countPersonAttempt(app, signUpsOf(email, isInvited))',
      'await countPersonAttempt(app, signUpsOf(email, false))',
      'Strangers keep nobody from signing up who is invited',
      'signUp',
    ],
  ),
  ...of(
    'src/account/factors/check.ts',
    [
      "if (await hasSecondFactor(db, personId)) fail('SECOND_FACTOR_NEEDED', {})",
      'void personId',
      'A first factor steps nobody up who has a second one',
      'own',
    ],
    [
      'if (!(await useRecoveryCode(tx, personId, hash, now))) return undefined',
      'await useRecoveryCode(tx, personId, hash, now)',
      'A recovery code is right once',
      'secondFactor',
    ],
    [
      'if (checked) await cancelBySignIn(tx, personId, now)',
      'void cancelBySignIn',
      'Whoever gives a factor cancels the removal of all',
      'resets',
    ],
    [
      'for (const factor of factors.filter(isTotp))',
      'for (const factor of factors.filter(isTotp).slice(1))',
      'The code of an app is a second factor',
      'secondFactor',
    ],
  ),
  ...of('src/account/factors/use-totp.ts', [
    'return step !== undefined && useStep(tx, factor, step, now)',
    'return step !== undefined',
    'The code of an app is right once',
    'secondFactor',
  ]),
  ...of(
    'src/account/openid/enter.ts',
    [
      'email?.isVerified ? emailAddress(email.address) : undefined',
      'email ? emailAddress(email.address) : undefined',
      'An address counts as proven only where the provider says so',
      'openId',
    ],
    [
      'if (email !== undefined && (await store.isKnownAddress(tx, email, now)))',
      "if (email === '')",
      'An address at a provider finds nobody, and says how to link',
      'openId',
    ],
    [
      'const isInvited = invitation !== undefined && invitation.email === email',
      'const isInvited = invitation !== undefined',
      'An invitation lets in its own address alone',
      'openId',
    ],
    [
      "if (!create && !isInvited) fail('OPENID_NOT_ALLOWED', { provider: name })",
      'void create',
      'Unknown people come in by a provider only where the configuration says so',
      'openId',
    ],
    [
      'if (email !== undefined) await store.dropSignUps(tx, email)',
      'void store.dropSignUps',
      'A sign-up that waits for an address is dropped when a provider has proven it',
      'openId',
    ],
    [
      'if (invitation && (await hasProven(tx, personId, invitation.email)))',
      'if (invitation)',
      'A sign-in accepts no invitation of an address that is not proven, and goes on without it',
      'openId',
    ],
  ),
  ...of('src/platform/auth/key-ring.ts', [
    "if (sessionId !== undefined && !(await this.#isSessionOpen?.(sessionId))) fail('INVALID_API_KEY', {})",
    'void sessionId',
    'A call, and a client secret, end with the session that began them',
    'calls',
  ]),
]
