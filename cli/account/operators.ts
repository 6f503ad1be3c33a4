/** `kherad operator`: who runs this installation. */
import { addOperator, notifyOperatorRemoved, renewFirstLink } from '#account/invitations'
import { isLastOperator, lockPerson, operators, setOperator } from '#account/people'
import { auditCommand } from '../audit.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { peopleApp, personOf, readAddress } from './people-app.ts'
import { peoplePhrases as words } from './people-phrases.ts'

export const operatorCommands: Command[] = [
  {
    name: 'operator link',
    about: {
      fa: 'تا گرداننده‌ای نیست، پیوند یک‌بارمصرف تازه‌ای برای نخستین نفر چاپ می‌کند.',
      en: 'While there is no operator, prints a new one-time link for the first person.',
    },
    takes: [],
    options: [],
    needs: [],
    run: link,
  },
  {
    name: 'operator add',
    about: {
      fa: 'صاحب نشانی را گرداننده می‌کند یا دعوتش می‌کند؛ به همهٔ گردانندگان خبر داده می‌شود.',
      en: 'Makes the owner of an address an operator, or invites them; all operators are notified.',
    },
    takes: ['ADDRESS'],
    options: [],
    needs: [],
    run: add,
  },
  {
    name: 'operator remove',
    about: {
      fa: 'دسترسی گرداننده را از شخص می‌گیرد؛ عضویت‌هایش می‌مانند و به همهٔ گردانندگان خبر داده می‌شود.',
      en: 'Takes the rights of an operator from a person, who stays a member of their accounts; all operators are notified.',
    },
    takes: ['PERSON'],
    options: [],
    needs: [],
    run: remove,
  },
]

async function link(session: Session): Promise<CommandResult> {
  const db = await session.db()
  const app = await peopleApp(session, db)
  const address = await db.tx((tx) => renewFirstLink(app, tx, new Date(session.clock.nowMs())))
  if (address === undefined) refuse('OPERATOR_EXISTS', words.operatorThere())
  return { json: { link: address }, text: `${words.firstLink()[session.language]}\n\n  ${address}\n` }
}

async function add(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const email = readAddress(given.words[0] ?? '')
  const db = await session.db()
  const app = await peopleApp(session, db)
  const now = new Date(session.clock.nowMs())
  const done = await db.tx((tx) => addOperator(app, tx, { email, locale: language }, now))
  if (done.outcome !== 'invited') {
    const { personId, displayName } = done.person
    const message = done.outcome === 'added' ? words.operatorAdded : words.operatorAlready
    return {
      json: { outcome: done.outcome, email, person_id: personId },
      text: `${message(displayName)[language]}\n`,
    }
  }
  const { delivery, link: address } = done
  return {
    json: { outcome: 'invited', email, delivery, ...(delivery !== 'mail' && { link: address }) },
    text:
      `${words.operatorInvited(email)[language]}\n` +
      (delivery === 'mail'
        ? `${words.mailGoes()[language]}\n`
        : `${words.handOver()[language]}\n\n  ${address}\n`),
  }
}

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const db = await session.db()
  const person = await personOf(db, given.words[0] ?? '')
  const { personId, displayName } = person
  const app = await peopleApp(session, db)
  const now = new Date(session.clock.nowMs())
  await db.tx(async (tx) => {
    // The person before the operators, as where people delete themselves: neither waits for the other.
    await lockPerson(tx, personId)
    const all = await operators(tx)
    if (!all.some((one) => one.personId === personId))
      refuse('NOT_AN_OPERATOR', words.noOperator(displayName))
    if (await isLastOperator(tx, personId)) refuse('LAST_OPERATOR', words.lastOperator())
    await notifyOperatorRemoved(app, tx, person, 'command', now)
    await setOperator(tx, personId, false, now)
    await auditCommand(tx, session, {
      accountId: null,
      operation: 'operators.remove',
      target: { kind: 'person', id: personId },
    })
  })
  return {
    json: { person_id: personId, is_operator: false },
    text: `${words.operatorRemoved(displayName)[session.language]}\n`,
  }
}
