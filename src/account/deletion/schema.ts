import { type Static, Type } from 'typebox'
import { closed, described, nullable, oneOf, safeInteger, timestamp, uuid } from '#platform/schema'

const Due = Type.Object({
  requested_at: timestamp(),
  due_at: timestamp(),
})

export const MyDeletion = Type.Object({
  object: Type.Literal('my_deletion'),
  deletion: nullable(Due),
  accounts: Type.Array(
    Type.Object({
      id: uuid(),
      name: Type.String(),
      state: oneOf('active', 'suspended', 'closing', 'closed'),
      is_last_owner: Type.Boolean(
        described(
          'Nobody else owns the account who stays: it is handed over before, or deleted with the person.',
          'مالک ماندگار دیگری ندارد: یا پیش از آن واگذار می‌شود، یا با شخص حذف می‌شود.',
        ),
      ),
      other_members: Type.Integer(safeInteger),
      balance_microcredits: Type.String(
        described(
          'What can be spent now, and is lost with the account.',
          'آنچه اکنون می‌توان خرج کرد و با حساب از دست می‌رود.',
        ),
      ),
    }),
    described('The accounts that the person owns.', 'حساب‌هایی که شخص مالک آن‌هاست.'),
  ),
})

export const DeleteMe = Type.Object(
  {
    confirm: Type.String({ maxLength: 200, ...described('Exactly your own name.', 'دقیقاً نام خودتان.') }),
    delete_accounts: Type.Optional(
      Type.Array(uuid(), {
        maxItems: 100,
        uniqueItems: true,
        ...described(
          'Accounts that you own and that are deleted with you.',
          'حساب‌هایی که مالک آن‌هایید و با شما حذف می‌شوند.',
        ),
      }),
    ),
  },
  { ...closed, examples: [{ confirm: 'سارا' }] },
)
export type DeleteMe = Static<typeof DeleteMe>

export const LeavingPerson = Type.Object({ id: uuid(), deletion: Due })
export const KeptPerson = Type.Object({
  id: uuid(),
  deletion: Type.Null(),
  kept_accounts: Type.Array(
    uuid(),
    described('Accounts whose deletion was undone too.', 'حساب‌هایی که حذف آن‌ها هم برگشت.'),
  ),
})

export const AccountDeletion = Type.Object({
  object: Type.Literal('account_deletion'),
  account_id: uuid(),
  deletion: nullable(
    Type.Object({
      requested_at: timestamp(),
      due_at: timestamp(),
      requested_by: nullable(
        Type.Object(
          { id: uuid(), name: Type.String() },
          described(
            'The owner who asked; null: the operator.',
            'مالکی که درخواست کرده است؛ null یعنی گرداننده.',
          ),
        ),
      ),
    }),
  ),
})
export type AccountDeletion = Static<typeof AccountDeletion>

export const DeleteAccount = Type.Object(
  {
    confirm: Type.String({
      maxLength: 200,
      ...described('Exactly the name of the account.', 'دقیقاً نام حساب.'),
    }),
  },
  { ...closed, examples: [{ confirm: 'کافهٔ ما' }] },
)
export type DeleteAccount = Static<typeof DeleteAccount>
