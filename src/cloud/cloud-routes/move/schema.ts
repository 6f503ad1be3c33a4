import { type Static, Type } from 'typebox'
import { closed, described, nameSchemas } from '#platform/schema'
import { packageId } from '../package-id.ts'

export const MoveBody = Type.Object(
  {
    package: Type.Optional(
      packageId(
        described(
          'Which package of the account, as GET /v1/cloud names it. Absent: the oldest that is free.',
          'کدام بستهٔ حساب، به نامی که GET /v1/cloud می‌دهد. اگر نیاید: قدیمی‌ترین بستهٔ آزاد.',
        ),
      ),
    ),
  },
  { ...closed, examples: [{}] },
)
export type MoveBody = Static<typeof MoveBody>

nameSchemas({ CloudMoveBody: MoveBody })
