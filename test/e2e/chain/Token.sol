// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// The part of USDC that x402 uses: balances, EIP-712 and EIP-3009, with USDC's error messages. The tests install it at
/// USDC's address. Unlike USDC, it lets anyone mint and burn.
contract Token {
    string public constant name = "USDC";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(address from, uint256 value) external {
        balanceOf[from] -= value;
        emit Transfer(from, address(0), value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
        requireSigned(authorizer, keccak256(abi.encode(CANCEL, authorizer, nonce)), v, r, s);
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        use(from, validAfter, validBefore, nonce);
        requireSigned(
            from, keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce)), v, r, s
        );
        move(from, to, value);
    }

    /// Lets only the recipient submit the authorization, so that nobody can pay a contract without calling it.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        use(from, validAfter, validBefore, nonce);
        requireSigned(
            from,
            keccak256(abi.encode(RECEIVE, from, to, value, validAfter, validBefore, nonce)),
            uint8(signature[64]),
            bytes32(signature[0:32]),
            bytes32(signature[32:64])
        );
        move(from, to, value);
    }

    function use(address from, uint256 validAfter, uint256 validBefore, bytes32 nonce) private {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function requireSigned(address signer, bytes32 message, uint8 v, bytes32 r, bytes32 s) private view {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this))
        );
        require(
            ecrecover(keccak256(abi.encodePacked("\x19\x01", domain, message)), v, r, s) == signer
                && signer != address(0),
            "FiatTokenV2: invalid signature"
        );
    }
}
