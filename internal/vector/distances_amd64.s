// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func distances512(to *uint16, near *uint64, n int, words *uint64)
TEXT ·distances512(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ near+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ words+24(FP), DX
	VMOVDQU64 (DX), Z0

row:
	VPXORQ (SI), Z0, Z1
	VPOPCNTQ Z1, Z1
	VEXTRACTI64X4 $1, Z1, Y2 // add up the eight counts
	VPADDQ Y2, Y1, Y1
	VEXTRACTI128 $1, Y1, X2
	VPADDQ X2, X1, X1
	VPSRLDQ $8, X1, X2
	VPADDQ X2, X1, X1
	VPEXTRW $0, X1, (DI)
	ADDQ $64, SI
	ADDQ $2, DI
	DECQ CX
	JNZ row
	VZEROUPPER
	RET
