import type { LinePart } from '#account/sign-in'
import { deviceName } from './device.ts'
import { englishOfKeys } from './key-phrases.ts'
import type { FactorName, LetterKinds, RoleName } from './kinds.ts'
import type { Speech } from './speech.ts'
import type { Wordings } from './wording.ts'

const factors: Record<FactorName, string> = {
  totp: 'An authenticator app',
  passkey: 'A passkey',
  recovery_code: 'A set of recovery codes',
}

const roles: Record<RoleName, string> = {
  owner: 'owner',
  admin: 'admin',
  developer: 'developer',
  billing: 'billing',
  viewer: 'viewer',
  operator: 'operator',
}

const phoneSubjects: Record<LetterKinds['phone_changed']['change'], string> = {
  added: 'You have a new way to sign in',
  changed: 'Your phone number was changed',
  removed: 'Your phone number was removed',
  taken: 'Your phone number belongs to somebody else now',
}

const notMine =
  'If it was not you, reset your password now, end your other sessions on the page “Account”, and tell the operator of this server.'
const nothingToDo = 'If it was you, there is nothing to do.'

/** Whose spending a threshold is about. */
function spenderOf({ account, of }: LetterKinds['threshold_reached'], { name }: Speech): LinePart[] {
  if (!of || of.scope === 'account') return ['the account “', name(account), '”']
  if (of.scope === 'member')
    return ['the spending of ', name(of.name), ' in the account “', name(account), '”']
  return [
    of.scope === 'project' ? 'the project “' : 'the key “',
    name(of.name),
    '” in the account “',
    name(account),
    '”',
  ]
}

export const english: Wordings = {
  sign_in_code: ({ code, minutes }, { number }) => ({
    subject: 'Your code to sign in to Kherad',
    lines: ['To sign in, type this code into the page where you asked for it.'],
    code,
    note: [
      'The code works for ',
      number(minutes),
      ' minutes and only in that browser. Give it to nobody. If you did not ask for it, ignore this mail; without the code nobody can sign in as you.',
    ],
  }),
  sign_up_code: ({ code, minutes }, { number }) => ({
    subject: 'Your code to sign up to Kherad',
    lines: ['To complete your sign-up, type this code into the page where you began it.'],
    code,
    note: [
      'The code works for ',
      number(minutes),
      ' minutes and only in that browser. If you did not sign up, ignore this mail; without the code nothing happens.',
    ],
  }),
  sign_up_exists: () => ({
    subject: 'You have signed up to Kherad before',
    lines: [
      'Somebody wanted to sign up to Kherad with this address, but it is signed up already.',
      'If it was you, sign in. If you do not remember your password, reset it on the sign-in page.',
    ],
    note: 'If it was not you, there is nothing to do; nothing has changed.',
  }),
  email_change_code: ({ code, minutes }, { number }) => ({
    subject: 'Your code to confirm your new address',
    lines: [
      'To make this the address with which you sign in to Kherad, type this code into the page where you asked for it.',
    ],
    code,
    note: [
      'The code works for ',
      number(minutes),
      ' minutes and only in that browser. If you did not ask for it, ignore this mail; without the code nobody gets your address.',
    ],
  }),
  email_changed: ({ newEmailMasked, undoLink, days }, { name, number }) => ({
    subject: 'Your sign-in address was changed',
    lines: [
      [
        'The address with which you sign in to Kherad was changed from this one to ',
        name(newEmailMasked),
        '.',
      ],
      ['If it was not you, this button brings the old address back. It works for ', number(days), ' days.'],
    ],
    button: { label: 'Bring the old address back', href: undoLink },
    note: nothingToDo,
  }),
  email_restored: ({ at }, { moment }) => ({
    subject: 'A change of your sign-in address was undone',
    lines: [
      'Your earlier address for Kherad was brought back by the link in its mail, and later addresses were dropped.',
      'What was set since that change (password, second steps, providers) was removed, and all sessions have ended.',
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  password_reset: ({ link, minutes }, { number }) => ({
    subject: 'A new password for Kherad',
    lines: ['Somebody asked for a new password for this address. If it was you, press this button.'],
    button: { label: 'Choose a new password', href: link },
    note: [
      'The link works for ',
      number(minutes),
      ' minutes and once only. If you did not ask for it, ignore this mail; your password is as it was.',
    ],
  }),
  password_changed: ({ at }, { moment }) => ({
    subject: 'Your password was changed',
    lines: ['Your password for Kherad was changed, and your other sessions have ended.'],
    facts: [{ label: 'Time', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  phone_changed: ({ numberMasked, change, at }, { name, moment }) => ({
    subject: phoneSubjects[change],
    lines: [
      change === 'removed'
        ? ['The phone number ', name(numberMasked), ' was removed from your ways to sign in to Kherad.']
        : change === 'taken'
          ? [
              'Somebody else has proven the phone number ',
              name(numberMasked),
              ', so you no longer sign in to Kherad with it.',
            ]
          : ['You sign in to Kherad with codes to the phone number ', name(numberMasked), ' from now on.'],
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note:
      change === 'taken'
        ? 'If you have given the number up, there is nothing to do. If it is still yours, somebody else has read its messages: ask your mobile operator.'
        : `${nothingToDo} ${notMine}`,
  }),
  factor_added: ({ factor, at }, { moment }) => ({
    subject: 'You have a new way to sign in',
    lines: [`${factors[factor]} was added to the ways in which you sign in to Kherad.`],
    facts: [{ label: 'Time', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  factor_removed: ({ factor, at }, { moment }) => ({
    subject: 'A way to sign in was removed',
    lines: [`${factors[factor]} was removed from the ways in which you sign in to Kherad.`],
    facts: [{ label: 'Time', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  factor_reset_requested: ({ dueAt, cancelLink }, { moment }) => ({
    subject: 'Your second step will be removed',
    lines: [
      'Somebody asked to remove the second step of your sign-in (authenticator app, passkeys and recovery codes), because it is said to be lost.',
      'If you did not ask for this, stop it before this time.',
    ],
    facts: [{ label: 'Removal', value: moment(dueAt) }],
    button: { label: 'Stop the removal', href: cancelLink },
    note: 'If you asked for it, wait until then, and sign in without the second step.',
  }),
  passkey_copied: ({ passkey, at }, { name, moment }) => ({
    subject: 'A copied passkey was refused',
    lines: [
      [
        'The passkey ',
        name(passkey),
        ' was used in a way that shows that somebody has copied it. It was refused.',
      ],
      'Remove this passkey on the page “Account”, and add a new one.',
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'A sign-in on two devices in the same moment can look like this too. If that is not what happened, tell the operator of this server.',
  }),
  identity_linked: ({ provider, at }, { name, moment }) => ({
    subject: 'You have a new way to sign in',
    lines: [['From now on you can also sign in to Kherad with “', name(provider), '”.']],
    facts: [{ label: 'Time', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  identity_unlinked: ({ provider, at }, { name, moment }) => ({
    subject: 'A way to sign in was removed',
    lines: [['From now on nobody can sign in to Kherad as you with “', name(provider), '”.']],
    facts: [{ label: 'Time', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  new_device: ({ device, at, from }, { name, moment, network }) => ({
    subject: 'A sign-in from a new device',
    lines: ['Somebody signed in to Kherad as you from a device that was not seen before.'],
    facts: [
      { label: 'Device', value: name(deviceName(device) ?? 'unknown') },
      { label: 'Network address (IP)', value: network(from) },
      { label: 'Time', value: moment(at) },
    ],
    note: `${nothingToDo} ${notMine}`,
  }),
  invitation: ({ account, inviter, role, link, days }, { name, number }) => ({
    subject: ['You are invited to the account “', name(account), '” at Kherad'],
    lines: [
      [
        inviter === '' ? 'The operator of this server' : name(inviter),
        ' has invited you to the account “',
        name(account),
        `” at Kherad. Your role: ${roles[role]}.`,
      ],
    ],
    button: { label: 'See the invitation', href: link },
    note: [
      'The link works for ',
      number(days),
      ' days and once only. If you do not know the sender, ignore this mail; nothing happens unless you accept.',
    ],
  }),
  operator_added: ({ email, at }, { name, moment }) => ({
    subject: 'A new operator was added',
    lines: [
      [
        'The owner of the address ',
        name(email),
        ' was made operator of this Kherad server on its command line.',
      ],
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'If none of you operators did this, somebody else has access to the command line of the server; look into it now.',
  }),
  operator_removed: ({ name: who, by, at }, { name, moment }) => ({
    subject: 'One operator fewer',
    lines: [
      by === 'self'
        ? [name(who), ', an operator of this Kherad server, has deleted themselves.']
        : [
            'On the command line, the rights of an operator of this Kherad server were taken from ',
            name(who),
            '.',
          ],
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note:
      by === 'self'
        ? 'If you do not know why, ask the person; somebody else may have used their session.'
        : 'If none of you operators did this, somebody else has access to the command line of the server; look into it now.',
  }),
  password_reset_by_operator: ({ at }, { moment }) => ({
    subject: 'The operator made a link for a new password for you',
    lines: ['The operator of this Kherad server made a link that sets a new password for you, once.'],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'If you did not ask the operator for it, ask them about it now.',
  }),
  threshold_reached: (data, speech) => ({
    subject:
      data.percent >= 100
        ? ['A cap is used up: ', ...spenderOf(data, speech)]
        : [speech.percent(data.percent), ' of a cap is spent: ', ...spenderOf(data, speech)],
    lines: [
      [
        speech.percent(data.percent),
        data.of?.period === 'month' ? ' of the monthly cap is spent: ' : ' of the cap is spent: ',
        ...spenderOf(data, speech),
        '.',
      ],
    ],
    facts: [
      { label: 'Spent', value: [speech.number(data.spent), ' credits'] },
      { label: 'Cap', value: [speech.number(data.cap), ' credits'] },
    ],
    note: 'When a cap is used up, paid requests are refused. You can change it on the page “Account”.',
  }),
  balance_low: ({ account, balance }, { name, number }) => ({
    subject: ['The credits of the account “', name(account), '” are running out'],
    lines: [['Most of the credits of the account “', name(account), '” are spent.']],
    facts: [{ label: 'Balance', value: [number(balance), ' credits'] }],
    note: 'Without credits, paid requests are refused. Top up the account before then, or ask the operator of this server for credits.',
  }),
  sms_spent: ({ messages, at }, { number, moment }) => ({
    subject: 'The text messages of today are spent',
    lines: [
      `This Kherad server has sent ${number(messages)} text messages today, which is its limit (daily_messages). Until the next day (UTC) nobody gets a code by SMS; all other ways to sign in go on.`,
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'If that is more than your people need, somebody may be making your server pay: look at kherad_sms_total of the metrics and at the audit log before you raise the limit.',
  }),
  ...englishOfKeys,
  removed_from_account: ({ account }, { name }) => ({
    subject: ['Your access to the account “', name(account), '” has ended'],
    lines: [['You are no longer a member of the account “', name(account), '” at Kherad.']],
    note: 'If you think that this is a mistake, ask the owner of that account.',
  }),
  export_ready: ({ page, endsAt }, { moment }) => ({
    subject: 'Your data is ready to download',
    lines: [
      'You have asked for everything that Kherad stores of you. It is ready as one ZIP file on your page.',
    ],
    button: { label: 'Open the page', href: page },
    facts: [{ label: 'There until', value: moment(endsAt) }],
    note: 'Only you can download it, when you are signed in. If you did not ask for it, end your other sessions and change your password.',
  }),
  export_failed: ({ page, at }, { moment }) => ({
    subject: 'Your data could not be put together',
    lines: ['You have asked for everything that Kherad stores of you. The file could not be made this time.'],
    button: { label: 'Ask again', href: page },
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'If it fails again, tell the operator of this server.',
  }),
  person_leaving: ({ accounts, endsAt, page }, { moment, name }) => ({
    subject: 'You are to be deleted from Kherad',
    lines: [
      'You have asked to be deleted. All your sessions have ended. Until the time below you can sign in only to take it back; then your name, addresses, ways to sign in and exports are deleted for good.',
      ...(accounts.length === 0
        ? []
        : [
            [
              'Deleted with you: ',
              ...accounts.flatMap((one, at) => [at === 0 ? '“' : '”, “', name(one)]),
              '”.',
            ],
          ]),
    ],
    button: { label: 'Sign in to take it back', href: page },
    facts: [{ label: 'Deleted at', value: moment(endsAt) }],
    note: 'If it was not you, sign in now, take it back, and change your password.',
  }),
  person_kept: ({ at }, { moment }) => ({
    subject: 'You are not deleted from Kherad',
    lines: ['You have taken your deletion back. Everything is as it was.'],
    facts: [{ label: 'Time', value: moment(at) }],
    note: notMine,
  }),
  person_deleted: ({ at }, { moment }) => ({
    subject: 'You were deleted from Kherad',
    lines: [
      'Your name, addresses, ways to sign in and exports were deleted, as you asked thirty days ago. Receipts and the audit log stay without your name.',
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'This is the last mail to this address.',
  }),
  account_closing: ({ account, by, endsAt, page }, { moment, name }) => ({
    subject: ['The account “', name(account), '” is to be deleted'],
    lines: [
      by === null
        ? ['The operator of this server has asked for the deletion of the account “', name(account), '”.']
        : [name(by), ' has asked for the deletion of the account “', name(account), '”.'],
      'From now on it can only be read: keys are refused, nothing is charged, and its websites, app back-ends and webhooks have stopped. At the time below everything in it is deleted for good, with the credit that is left.',
    ],
    button: { label: 'Open the account', href: page },
    facts: [{ label: 'Deleted at', value: moment(endsAt) }],
    note: 'Every owner of the account can undo it until then on that page.',
  }),
  account_kept: ({ account, by, at }, { moment, name }) => ({
    subject: ['The account “', name(account), '” is not deleted'],
    lines: [
      by === null
        ? ['The operator of this server has undone the deletion of the account “', name(account), '”.']
        : [name(by), ' has undone the deletion of the account “', name(account), '”.'],
      'Its keys, websites, app back-ends and webhooks work again.',
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'There is nothing to do.',
  }),
  account_deleted: ({ account, at }, { moment, name }) => ({
    subject: ['The account “', name(account), '” was deleted'],
    lines: [
      ['Everything in the account “', name(account), '” was deleted for good.'],
      'Receipts and the audit log stay without names.',
    ],
    facts: [{ label: 'Time', value: moment(at) }],
    note: 'There is nothing to do.',
  }),
}

export const englishFooter = 'Kherad sent this mail by itself; nobody reads a reply.'
